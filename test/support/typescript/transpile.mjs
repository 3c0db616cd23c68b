/**
 * The TypeScript of this repository as JavaScript for the tests: every file once before they run,
 * at the same place below .tap/js. Promises: a file there believes that it stands where its source
 * does (`import.meta.url`), and its stack traces name the source's lines. Types are not looked at;
 * check.mjs does that. Not by hooks in Node's loader: they cost every test file half a second.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = ['src', 'projections', 'widget-ui', 'test']

/** Where the JavaScript of a source file is once all are transpiled. */
export function javascriptOf(name) {
  return path.join(root, '.tap', 'js', name.replace(/\.ts$/, '.js'))
}

export async function transpileAll() {
  await rm(javascriptOf(''), { recursive: true, force: true })
  for (const folder of folders) {
    const names = await readdir(path.join(root, folder), { recursive: true })
    const sources = names.filter((name) => /\.(ts|mjs)$/.test(name) && !name.endsWith('.d.ts'))
    await Promise.all(sources.map((name) => transpile(path.join(folder, name))))
  }
}

async function transpile(name) {
  // Only now: what it needs may just have been installed.
  const esbuild = await import('esbuild')
  const file = path.join(root, name)
  const { code } = await esbuild.transform(await readFile(file, 'utf8'), {
    loader: name.endsWith('.ts') ? 'ts' : 'js',
    format: 'esm',
    target: 'node20',
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(file).href) },
    sourcemap: 'inline',
    sourcesContent: false,
    sourcefile: file,
  })
  await mkdir(path.dirname(javascriptOf(name)), { recursive: true })
  await writeFile(javascriptOf(name), code)
}
