/**
 * Builds everything that people see (widget-ui) with Vite into one folder: a page per area and
 * hashed files under assets/. Promises: the same sources give the same files; nothing is inlined
 * into a page, so that a strict Content-Security-Policy holds; no configuration file, no .env and
 * no plugin is read. Never: writes outside the given folder.
 */
import { readdir } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const home = path.dirname(fileURLToPath(import.meta.url))

/** One entry an area; later the wallet, the top-up and the loader stand beside it. */
const pages = {
  admin: path.join('admin', 'index.html'),
  reset: path.join('reset', 'index.html'),
}

/** `folder` is emptied and filled: `<area>/index.html` and `assets/<name>-<hash>.<ending>`. */
export async function buildPages({ folder }) {
  // Vite sets NODE_ENV for its whole process, and ours goes on as the service or the test run.
  const { NODE_ENV } = process.env
  try {
    await buildWithVite(folder)
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
        input: Object.fromEntries(
          Object.entries(pages).map(([name, file]) => [name, path.join(home, file)]),
        ),
      },
    },
  })
}

/** Every file that a change of must lead to a new build; relative to the repository. */
export async function pageSources(root) {
  const names = await readdir(path.join(root, 'widget-ui'), { recursive: true })
  return names
    .filter((name) => /\.(html|css|svg|tsx?|mjs|json)$/.test(name))
    .map((name) => path.join('widget-ui', name))
    .sort()
}

const self = fileURLToPath(import.meta.url)
const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === self
if (isProgram)
  await buildPages({ folder: path.resolve(process.argv[2] ?? path.join('dist', 'widget-ui')) })
