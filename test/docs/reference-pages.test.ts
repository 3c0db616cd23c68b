/**
 * What documents repeat of the code is what the code says: errors, limits, test cards, the snippet
 * of the loader, and the sentences that people look for in the troubleshooting guide.
 * After a change on purpose: UPDATE_REFERENCE=1 npm test -- test/docs/reference-pages.test.ts
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { errorTable } from '../../src/http/error-table.js'
import { testCards } from '../../src/top-ups/sandbox/cards.js'
import { embedSnippet } from '../../widget-ui/src/admin/embed-snippet.js'
import { drawnDocument, errorsPage, limitsPage } from '../support/reference-pages.js'
import { root, textOf, trackedFiles } from '../support/repository.js'

const made = {
  'docs/reference/errors.md': await errorsPage(drawnDocument()),
  'docs/reference/limits.md': await limitsPage(),
}
if (process.env['UPDATE_REFERENCE'] === '1')
  for (const [file, text] of Object.entries(made)) writeFileSync(join(root, file), text)

for (const [file, text] of Object.entries(made))
  t.test(`${file} is what the code says`, (t) => {
    const stale = `UPDATE_REFERENCE=1 npm test -- test/docs/reference-pages.test.ts writes ${file}`
    t.ok(textOf(file) === text, stale)
    t.end()
  })

t.test('every error has its line, and what every route may say is told as that', (t) => {
  const page = made['docs/reference/errors.md']
  for (const code of Object.keys(errorTable)) t.match(page, `| \`${code}\` `)
  t.match(page, /\| `UNAVAILABLE` .*\| every route +\|/)
  t.match(page, /\| `INSUFFICIENT_BALANCE` .*\| uses the reference up +\|/)
  t.match(page, /\| `INVALID_LINK_PROOF` .*`POST \/api\/server\/links\/verify`/)
  t.end()
})

t.test('both lists of test cards have every card of the sandbox, and no other', (t) => {
  for (const file of ['docs/guides/test-with-the-sandbox.md', 'docs/reference/top-ups.md']) {
    const told = [...textOf(file).matchAll(/^\| `([\d ]{19})` +\| (.+?) +\|$/gm)]
    const numbers = told.map(([, number = '']) => number.replaceAll(' ', ''))
    t.same(
      numbers,
      testCards.map(({ number }) => number),
      file,
    )
    if (file.startsWith('docs/guides/'))
      t.same(
        told.map(([, , text]) => text),
        testCards.map(({ description }) => description),
      )
  }
  t.end()
})

t.test('guide, example and admin area show the same snippet', (t) => {
  const snippet = embedSnippet({ serviceOrigin: 'https://wallet.example', clientId: 'app_…' })
  t.ok(textOf('docs/guides/integrate.md').includes(`\`\`\`html\n${snippet}\n\`\`\`\n`))
  const indented = snippet.replaceAll(/^/gm, '    ')
  t.ok(textOf('docs/examples/page.html').includes(`${indented}\n`))
  t.end()
})

const tracked = trackedFiles()
const noCheckout = tracked === undefined && 'this is no git checkout'

t.test('the troubleshooting guide quotes what the service says', { skip: noCheckout }, (t) => {
  const sources = (tracked ?? [])
    .filter((file) => /^(src|widget-ui|projections)\/.+\.(ts|tsx|html|json)$/.test(file))
    .map((file) => textOf(file).replaceAll(/\s+/g, ' '))
  const quoted = [...textOf('docs/guides/troubleshooting.md').matchAll(/^\|[^|]*?"([^"|]+)"/gm)]
  t.ok(quoted.length > 15, 'the quotations are found')
  for (const [, text = ''] of quoted) {
    const parts = text.split('…').map((part) => part.trim())
    const isSaid = sources.some((source) => parts.every((part) => source.includes(part)))
    t.ok(isSaid, text)
  }
  t.end()
})
