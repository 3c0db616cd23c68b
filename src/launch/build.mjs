/**
 * Builds dist: every .ts of src and projections becomes a .js of the same path, every .sql is
 * copied beside it, and the pages of widget-ui go to dist/widget-ui; the server's code is not
 * bundled, so a stack trace names the files that people know. One package is: TypeBox.
 * Promises: dist appears whole or not at all, also when two builds run at once; its stamp names the
 * content it was made from. Never: reads what is in an earlier dist.
 */
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const sourceFolders = ['src', 'projections']
const stampFile = 'built-from'

/** Hundreds of small files that every command would load before it does anything. */
const typebox = path.join('node_modules', '@sinclair', 'typebox')

/** Copied into the pages as it is. */
const viewer = path.join('node_modules', 'swagger-ui-dist')

/** A build takes seconds. */
const abandonedMs = 10 * 60_000

/** True when dist was made from exactly the sources that are there now. */
export async function isBuilt(root) {
  const stamp = await stampIn(path.join(root, 'dist'))
  return stamp !== '' && stamp === (await stampOf(root, await sourcesOf(root)))
}

export async function build(root) {
  await removeAbandoned(root)
  const sources = await sourcesOf(root)
  const stamp = await stampOf(root, sources)
  const fresh = await mkdtemp(path.join(root, 'dist.new-'))
  try {
    await transpile({ root, fresh, sources })
    await copySql({ root, fresh, sources })
    await bundleTypebox({ root, fresh })
    await buildUi({ root, fresh })
    // Written last: a folder with a stamp is complete.
    await writeFile(path.join(fresh, stampFile), stamp)
    // Whoever builds is not always who runs: a temporary folder is closed to all others.
    await chmod(fresh, 0o755)
    await putInPlace({ root, fresh, stamp })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function sourcesOf(root) {
  const found = []
  for (const folder of sourceFolders) {
    if (!existsSync(path.join(root, folder))) continue
    for (const name of await readdir(path.join(root, folder), { recursive: true }))
      if (isSource(name)) found.push(path.join(folder, name))
  }
  return [...found.sort(), ...(await uiSources(root))]
}

/** The pages are one Vite project with a build of its own. */
async function uiSources(root) {
  const ui = uiBuildFile(root)
  return existsSync(ui) ? (await import(pathToFileURL(ui).href)).pageSources(root) : []
}

async function buildUi({ root, fresh }) {
  const ui = uiBuildFile(root)
  if (!existsSync(ui)) return
  const { buildPages } = await import(pathToFileURL(ui).href)
  await buildPages({ folder: path.join(fresh, 'widget-ui') })
}

function uiBuildFile(root) {
  return path.join(root, 'widget-ui', 'build.mjs')
}

function isServerSource(file) {
  return sourceFolders.includes(file.split(path.sep)[0])
}

function isSource(name) {
  return (name.endsWith('.ts') && !name.endsWith('.d.ts')) || name.endsWith('.sql')
}

/** Content, not times: a checkout or a copy gives files any time it likes. */
async function stampOf(root, sources) {
  const hash = createHash('sha256')
  const packages = [typebox, viewer].map((folder) => path.join(folder, 'package.json'))
  const others = [path.join('src', 'launch', 'build.mjs'), ...packages]
  for (const file of [...sources, ...others.filter((name) => existsSync(path.join(root, name)))]) {
    const content = await readFile(path.join(root, file))
    hash.update(`${file.split(path.sep).join('/')} ${content.length}\n`).update(content)
  }
  return `${hash.digest('hex')}\n`
}

async function transpile({ root, fresh, sources }) {
  const esbuild = await import('esbuild')
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: sources.filter((file) => file.endsWith('.ts') && isServerSource(file)),
    outdir: fresh,
    outbase: root,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  })
}

async function copySql({ root, fresh, sources }) {
  for (const file of sources.filter((name) => name.endsWith('.sql'))) {
    await mkdir(path.dirname(path.join(fresh, file)), { recursive: true })
    await copyFile(path.join(root, file), path.join(fresh, file))
  }
}

/** In a node_modules of dist's own, where Node looks first. */
async function bundleTypebox({ root, fresh }) {
  const esbuild = await import('esbuild')
  const outdir = path.join(fresh, typebox)
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: { index: '@sinclair/typebox', value: '@sinclair/typebox/value' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  })
  const names = { type: 'module', exports: { '.': './index.js', './value': './value.js' } }
  await writeFile(path.join(outdir, 'package.json'), JSON.stringify(names))
}

/**
 * A folder cannot be replaced in one step: a stale dist moves aside first. A dist made from the
 * same sources stays, because another process may be loading it right now.
 */
async function putInPlace({ root, fresh, stamp }) {
  const dist = path.join(root, 'dist')
  const triesMax = 20
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(fresh, dist)
    } catch (error) {
      // Linux and macOS say that the folder is not empty, Windows that it is not allowed.
      if (tries >= triesMax || !existsSync(dist)) throw error
    }
    if ((await stampIn(dist)) === stamp) return
    const aside = await mkdtemp(path.join(root, 'dist.old-'))
    await rename(dist, path.join(aside, 'dist')).catch(ignoreMissing)
    await rm(aside, { recursive: true, force: true })
  }
}

async function stampIn(dist) {
  return readFile(path.join(dist, stampFile), 'utf8').catch(() => '')
}

/** What a build left behind that was killed. */
async function removeAbandoned(root) {
  for (const name of await readdir(root)) {
    if (!/^dist\.(new|old)-/.test(name)) continue
    const { mtimeMs } = await stat(path.join(root, name)).catch(() => ({ mtimeMs: Infinity }))
    if (Date.now() - mtimeMs > abandonedMs)
      await rm(path.join(root, name), { recursive: true, force: true })
  }
}

function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error
}

const self = fileURLToPath(import.meta.url)
const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === self
if (isProgram) await build(path.resolve(path.dirname(self), '..', '..'))
