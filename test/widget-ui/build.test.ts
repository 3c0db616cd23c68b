// What is delivered to browsers: the size of the wallet page, and the loader as one plain script.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { buildPages } from '../../widget-ui/build.mjs'

const folder = t.testdir({})
await buildPages({ folder })

const walletBytesMax = 60 * 1024
/** A third of it are its own words in six languages: it speaks when nothing can be fetched. */
const loaderBytesMax = 6 * 1024

t.test('the wallet page has at most 60 kB gzipped in all, with one language', async (t) => {
  const files = [...filesOf('wallet'), largestLanguage()]
  t.ok(files.some((file) => file.endsWith('.js')) && files.some((file) => file.endsWith('.css')))
  const sizes = files.map(bytesOf)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  t.comment(`${total} bytes in ${files.length} files`)
  t.ok(total <= walletBytesMax, `${total} bytes`)
})

t.test('every page has its place for the data and no script or style of its own', async (t) => {
  for (const page of ['wallet', 'topup', 'doctor', 'reset']) {
    const html = textOf(join(page, 'index.html'))
    t.equal(html.split('<!--page-data-->').length, 2, page)
    t.notMatch(html, /<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/, page)
  }
})

t.test('the loader is one small classic script with one global', async (t) => {
  const script = textOf('loader.js')
  t.ok(gzipSync(script).length <= loaderBytesMax, `${gzipSync(script).length} bytes`)
  t.notMatch(script, /\bimport\b|\bexport\b/)
  const window: Record<string, unknown> = {}
  const document = { currentScript: null }
  runInNewContext(script, { window, document, HTMLScriptElement: function () {} })
  t.same(Object.keys(window), ['WalletWidget'])
  t.match(textOf('loader.d.ts'), /export interface WalletWidgetOptions/)
})

/** Each is a file of its own: a page loads one of them. */
function largestLanguage(): string {
  const names = ['english', 'german', 'french', 'spanish', 'portuguese', 'polish']
  const files = readdirSync(join(folder, 'assets')).map((file) => join('assets', file))
  const found = names.map((name) =>
    files.filter((file) => new RegExp(`/${name}-[\\w-]+\\.js$`).test(file)),
  )
  t.same(
    found.map(({ length }) => length),
    names.map(() => 1),
  )
  const named = filesOf('wallet')
  t.notOk(
    found.flat().some((file) => named.includes(file)),
    'and none before it is known which',
  )
  return found.flat().sort((one, other) => bytesOf(other) - bytesOf(one))[0] ?? ''
}

function bytesOf(file: string): number {
  return gzipSync(readFileSync(join(folder, file))).length
}

/** The page and everything that it names. */
function filesOf(page: string): string[] {
  const html = textOf(join(page, 'index.html'))
  const named = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file)
  return [join(page, 'index.html'), ...new Set(named)]
}

function textOf(file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}
