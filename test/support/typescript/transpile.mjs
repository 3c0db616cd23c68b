/**
 * The TypeScript of this repository as JavaScript for the tests: every file once before they run,
 * at the same place below a folder in .tap that is this run's own, and removed with it.
 * Promises: a file there believes that it stands where its source does (`import.meta.url`), and
 * its lines are the source's: types become blanks, so nobody needs a map, which cost every test
 * file a quarter of a second. Types are not looked at; check.mjs does that. Not by hooks in Node's
 * loader: they cost every test file half a second.
 */
import { rmSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = ['src', 'projections', 'widget-ui', 'test']
const home = path.join(root, '.tap', 'js')

/** Where the JavaScript of a source file is once all are transpiled. */
export function javascriptOf(name) {
  return path.join(home, String(process.pid), name.replace(/\.ts$/, '.js'))
}

export async function transpileAll() {
  await mkdir(home, { recursive: true })
  for (const pid of await readdir(home)) if (!isRunning(Number(pid))) removeJavascript(pid)
  for (const folder of folders) {
    const names = await readdir(path.join(root, folder), { recursive: true })
    const sources = names.filter((name) => /\.(ts|mjs)$/.test(name) && !name.endsWith('.d.ts'))
    await Promise.all(sources.map((name) => transpile(path.join(folder, name))))
  }
}

/** Of this run, or of one that was killed. */
export function removeJavascript(pid = String(process.pid)) {
  rmSync(path.join(home, pid), { recursive: true, force: true })
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function transpile(name) {
  // Only now: what it needs may just have been installed.
  const { default: withoutTypes } = await import('ts-blank-space')
  const file = path.join(root, name)
  const source = await readFile(file, 'utf8')
  const code = name.endsWith('.ts') ? withoutTypes(source, refuse(name)) : source
  await mkdir(path.dirname(javascriptOf(name)), { recursive: true })
  await writeFile(javascriptOf(name), standingAt(file, code))
}

/** What is more than a type would have to be translated: an enum, a parameter that is a property. */
function refuse(name) {
  return ({ pos }) => {
    throw new Error(`${name} has syntax at ${pos} that does more than to name types`)
  }
}

function standingAt(file, code) {
  return code.replaceAll('import.meta.url', () => JSON.stringify(pathToFileURL(file).href))
}
