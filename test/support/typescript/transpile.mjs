/**
 * The TypeScript of this repository as JavaScript, for tests: all of it at once, or one file.
 * Promises: what `javascriptOf` gives is made of the file as it is now, because what was prepared
 * is found by the file's content. Types are not looked at; `tsc` does that before all tests run.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = ['src', 'projections', 'widget-ui', 'test']
const prepared = path.join(root, '.tap', 'transpiled')
const settings = { loader: 'ts', format: 'esm', target: 'node20', sourcemap: 'inline' }

/** Once before many processes need it: each for itself would start esbuild again. */
export async function transpileAll() {
  await rm(prepared, { recursive: true, force: true })
  await mkdir(prepared, { recursive: true })
  for (const folder of folders)
    for (const name of await readdir(path.join(root, folder), { recursive: true }))
      if (name.endsWith('.ts') && !name.endsWith('.d.ts')) await prepare(path.join(folder, name))
}

export async function javascriptOf(file) {
  const source = await readFile(file, 'utf8')
  return readFile(preparedFile(file, source), 'utf8').catch(() => transpile(file, source))
}

async function prepare(name) {
  const file = path.join(root, name)
  const source = await readFile(file, 'utf8')
  await writeFile(preparedFile(file, source), await transpile(file, source))
}

async function transpile(file, source) {
  // Loaded only now: it starts a process of its own.
  const esbuild = await import('esbuild')
  const { code } = await esbuild.transform(source, { ...settings, sourcefile: file })
  return code
}

/** The file's own name belongs to it: failures name it. */
function preparedFile(file, source) {
  const key = createHash('sha256')
    .update(JSON.stringify([settings, file, source]))
    .digest('hex')
  return path.join(prepared, `${key}.js`)
}
