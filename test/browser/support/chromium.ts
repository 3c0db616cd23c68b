/**
 * A real browser for the tests: the one of CHROME_PATH, else an installed Chromium, Chrome or Edge,
 * else (as root on Debian) the package, installed. Without one the tests skip with a printed line;
 * in CI (CI=true) that is a failure.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'

/** A download of about 100 MB; the test file as a whole has two minutes. */
const installLimitMs = 80_000

export type FoundBrowser =
  | { readonly browser: Browser }
  /** Why there is none; `isFailure` where there has to be one. */
  | { readonly missing: string; readonly isFailure: boolean }

export async function openBrowser(t: {
  teardown(work: () => unknown): void
}): Promise<FoundBrowser> {
  const executablePath = installedBrowser() ?? (await installBrowser())
  if (executablePath === undefined) {
    const missing = 'no browser: install Chromium, Chrome or Edge, or set CHROME_PATH'
    return { missing, isFailure: process.env['CI'] === 'true' }
  }
  const browser = await chromium.launch({ executablePath, args: flags })
  t.teardown(() => browser.close())
  return { browser }
}

/** No sandbox: the tests often run as root; it opens nothing but the loopback. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Containers give /dev/shm 64 MB, which a page with charts can exceed.
  '--disable-dev-shm-usage',
]

function installedBrowser(): string | undefined {
  const given = process.env['CHROME_PATH']
  if (given !== undefined && given !== '') return given
  const names = [
    // Chromium without windows of its own: the same pages for two thirds of the processor time.
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'microsoft-edge',
    'chrome.exe',
    'msedge.exe',
  ]
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const usual = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ]
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...usual].find(
    (path) => existsSync(path),
  )
}

async function installBrowser(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  const run = promisify(execFile)
  const options = {
    timeout: installLimitMs,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }
  try {
    await run('apt-get', ['update'], options)
    const install = ['install', '-y', '--no-install-recommends']
    await run('apt-get', [...install, 'chromium-headless-shell'], options)
  } catch {
    return undefined
  }
  return installedBrowser()
}
