/**
 * Builds everything that people see (widget-ui) into one folder: with Vite a page per area and
 * hashed files under assets/, with esbuild the loader that host pages include. Promises: the same
 * sources give the same files; nothing is inlined into a page, so that a strict
 * Content-Security-Policy holds; no configuration file, no .env and no plugin is read.
 * Never: writes outside the given folder.
 */
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const home = path.dirname(fileURLToPath(import.meta.url))

/** The checker of audit bundles: one file that also runs alone. Relative to the repository. */
const verifyBundle = path.join('src', 'verify-bundle', 'verify-bundle.mjs')

/** One entry an area. */
const pages = Object.fromEntries(
  ['admin', 'reset', 'wallet', 'topup', 'doctor', 'verify', 'docs'].map((name) => [
    name,
    path.join(home, name, 'index.html'),
  ]),
)

/**
 * `folder` is emptied and filled: `<area>/index.html`, `assets/<name>-<hash>.<ending>`, `loader.js`
 * with `loader.d.ts`, whose names host pages hold for ever, and `verify-bundle.mjs` as it is.
 */
export async function buildPages({ folder }) {
  // Vite sets NODE_ENV for its whole process, and ours goes on as the service or the test run.
  const { NODE_ENV } = process.env
  try {
    await buildWithVite(folder)
    await buildLoader(folder)
    // The page /audit/verify and the command line run this same file; auditors download it.
    await copyFile(path.join(home, '..', verifyBundle), path.join(folder, 'verify-bundle.mjs'))
    await copyViewer(path.join(folder, 'docs'))
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
}

async function buildWithVite(folder) {
  const { build } = await import('vite')
  await build({
    root: home,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    mode: 'production',
    publicDir: false,
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: ['chrome123', 'firefox120', 'safari17.5'],
      // A data: address would need a hole in the policy, and the polyfill is for older browsers.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rollupOptions: {
        input: pages,
      },
    },
  })
}

/** One classic script for other people's pages: no import, no name but its one global. */
async function buildLoader(folder) {
  const esbuild = await import('esbuild')
  const source = path.join(home, 'src', 'loader')
  await esbuild.build({
    entryPoints: [path.join(source, 'loader.ts')],
    outfile: path.join(folder, 'loader.js'),
    bundle: true,
    format: 'iife',
    minify: true,
    target: ['chrome100', 'firefox100', 'safari15.4'],
    legalComments: 'none',
    logLevel: 'warning',
  })
  await copyFile(path.join(source, 'wallet-widget.d.ts'), path.join(folder, 'loader.d.ts'))
}

/** Swagger UI as its package has it: compressed here, once, because it is a megabyte and a half. */
async function copyViewer(folder) {
  const viewer = path.dirname(
    createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'),
  )
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) {
    const content = await readFile(path.join(viewer, name))
    // A map would be asked for by whoever opens the browser's tools, and is not there.
    const text = content.toString('utf8').replace(/\n?(\/\/|\/\*)# sourceMappingURL=.*$/m, '')
    await writeFile(path.join(folder, name), text)
    await writeFile(path.join(folder, `${name}.gz`), await promisify(gzip)(text, { level: 9 }))
  }
}

/** Every file that a change of must lead to a new build; relative to the repository. */
export async function pageSources(root) {
  const names = await readdir(path.join(root, 'widget-ui'), { recursive: true })
  return names
    .filter((name) => /\.(html|css|svg|tsx?|mjs|json)$/.test(name))
    .map((name) => path.join('widget-ui', name))
    .concat(verifyBundle)
    .sort()
}

const self = fileURLToPath(import.meta.url)
const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === self
if (isProgram)
  await buildPages({ folder: path.resolve(process.argv[2] ?? path.join('dist', 'widget-ui')) })
