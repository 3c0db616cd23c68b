/**
 * The TypeScript of this repository as JavaScript, for tests: all of it at once, or one file.
 * Promises: what `javascriptOf` gives is made of the file as it is now. Types are not looked at;
 * `tsc` does that before all tests run.
 */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = ['src', 'projections', 'widget-ui', 'test']
const settings = { loader: 'ts', format: 'esm', target: 'node20', sourcemap: 'inline' }

/** Once before many processes need it: each for itself would start esbuild again. */
export async function transpileAll() {
  for (const folder of folders)
    for (const name of await readdir(path.join(root, folder), { recursive: true }))
      if (name.endsWith('.ts') && !name.endsWith('.d.ts')) await prepare(path.join(folder, name))
}

export async function javascriptOf(file) {
  const prepared = preparedFile(path.relative(root, file))
  const isFresh = (await changedMs(prepared)) > (await changedMs(file))
  return isFresh ? readFile(prepared, 'utf8') : transpile(file)
}

async function prepare(name) {
  const prepared = preparedFile(name)
  await mkdir(path.dirname(prepared), { recursive: true })
  await writeFile(prepared, await transpile(path.join(root, name)))
}

async function transpile(file) {
  // Loaded only now: it starts a process of its own.
  const esbuild = await import('esbuild')
  const source = await readFile(file, 'utf8')
  const { code } = await esbuild.transform(source, { ...settings, sourcefile: file })
  return code
}

function preparedFile(name) {
  return path.join(root, 'node_modules', '.cache', 'wallet-tests', `${name}.js`)
}

async function changedMs(file) {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
