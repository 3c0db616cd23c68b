/**
 * A real browser for the tests: the one of CHROME_PATH, else an installed Chromium, Chrome or Edge,
 * else the package of Debian, installed (as root there), else the one that playwright downloads.
 * Without any the tests skip with a printed line; in CI (CI=true) that is a failure.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'
import type { Test } from 'tap'
import { atProcessEnd } from '../../support/process-end.js'

/** A download of about 100 MB; the test file as a whole has five minutes. */
const installLimitMs = 80_000

/** Undefined when there is none: then a test of this name has told so. */
export async function openBrowser(t: Test, name: string): Promise<Browser | undefined> {
  const executablePath = installedBrowser() ?? (await installBrowser())
  if (executablePath === undefined) {
    const missing = 'no browser: install Chromium, Chrome or Edge, or set CHROME_PATH'
    const isFailure = process.env['CI'] === 'true'
    void t.test(name, isFailure ? {} : { skip: missing }, async (t) => {
      t.fail(missing)
    })
    return undefined
  }
  const browser = await (opened ??= launch(t, executablePath))
  t.teardown(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  return browser
}

/** One for all files of the process: what they open in it is their own and closed after them. */
let opened: Promise<Browser> | undefined

async function launch(t: Test, executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: browserFlags, timeout: 120_000 })
  browser.once('disconnected', () => (opened = undefined))
  atProcessEnd(t, () => browser.close())
  return browser
}

/** No sandbox: the tests often run as root; it opens nothing but the loopback. */
export const browserFlags = [
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

export function installedBrowser(): string | undefined {
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
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!isDebianRoot) return downloadBrowser()
  const environment = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update'], environment)
  const install = ['install', '-y', '--no-install-recommends']
  // Older releases have no package of the shell alone.
  for (const name of ['chromium-headless-shell', 'chromium'])
    if (await run('apt-get', [...install, name], environment)) break
  return installedBrowser()
}

/** Playwright's own, into its own folder: for everybody who may not install packages. */
async function downloadBrowser(): Promise<string | undefined> {
  const folder = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'))
  const program = join(folder, 'cli.js')
  const isDone = await run(process.execPath, [program, 'install', '--no-shell', 'chromium'])
  const path = chromium.executablePath()
  return isDone && existsSync(path) ? path : undefined
}

/** False when it failed or took too long. */
async function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const env = { ...process.env, ...environment }
  return promisify(execFile)(program, args, { timeout: installLimitMs, env }).then(
    () => true,
    () => false,
  )
}
