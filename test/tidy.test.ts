// The countable part of the house style, and who may import whom (docs/ARCHITECTURE.md).
import { basename, dirname } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import {
  brokenLinks,
  pathOfMachine,
  reachedFrom,
  textOf,
  trackedFiles,
} from './support/repository.js'
import {
  circlesOf,
  filesIn,
  importsOf,
  loadedBy,
  packagesOf,
  tableOwners,
  tablesNamedIn,
} from './support/rooms.js'

const product = filesIn('src').concat(filesIn('projections'))
const pages = filesIn('widget-ui')
/** Plain JavaScript: what runs before anything is built, or alone on a machine of others. */
const scripts = filesIn('src', 'mjs').concat(filesIn('widget-ui', 'mjs'))
const shipped = product.concat(pages, scripts)
const examples = filesIn('docs/example-shop', 'mjs').concat(filesIn('docs/examples', 'mjs'))
const everything = shipped.concat(examples, filesIn('test'))

/** What tells people which file to run. */
const documents = ['README.md', 'docs/ARCHITECTURE.md', 'package.json', '.ci/run'].map(textOf)

/**
 * Folder or file of `src` → what it may import, besides itself and packages. Of the read models
 * everybody has questions of their own, in a file of `projections/queries`.
 */
const layers: Record<string, readonly string[]> = {
  'src/limits': [],
  // Runs in the programs of others.
  'src/client': [],
  'src/domain': [],
  'src/platform': ['src/domain', 'src/limits'],
  'src/mails': ['src/platform'],
  'src/event-store': ['src/domain', 'src/platform', 'src/limits'],
  'src/identity': ['src/domain', 'src/platform', 'src/limits'],
  projections: ['src/domain', 'src/platform', 'src/limits', 'src/event-store'],
  'src/reading': [
    'src/domain',
    'src/platform',
    'src/limits',
    'src/event-store',
    'projections/queries/lanes',
    'projections/queries/reads',
  ],
  'src/writing': ['src/domain', 'src/platform', 'src/limits', 'src/event-store', 'src/reading'],
  'src/top-ups': [
    'src/domain',
    'src/platform',
    'src/limits',
    'src/event-store',
    'src/identity',
    'src/reading',
    'src/writing',
    'projections/queries/top-ups',
  ],
  'src/webhooks': ['src/domain', 'src/platform', 'src/limits', 'src/event-store', 'src/identity'],
  'src/audit': [
    'src/domain',
    'src/platform',
    'src/limits',
    'src/event-store',
    'src/identity',
    'src/reading',
    'projections/checkpoint',
    'projections/read-schema',
    'projections/queries/audit',
    // What an entry is judged by is what the lane judged it by.
    'projections/queries/lanes',
    'projections/queries/books',
    'projections/queries/wallet-rows',
  ],
  'src/http': [
    'src/audit',
    'src/domain',
    'src/platform',
    'src/limits',
    'src/event-store',
    'src/identity',
    'src/mails',
    'src/reading',
    'src/top-ups',
    'src/webhooks',
    'src/writing',
    'projections/queries/admin',
  ],
  // Of rooms only what their own settings are: rooms name them, it reads them.
  'src/config': [
    ...['src/domain', 'src/platform', 'src/limits', 'src/top-ups', 'src/webhooks'],
    'src/audit',
  ],
  'src/compose': ['*'],
  'src/cli': ['*'],
  'src/main': ['src/cli'],
}

/** Only the rooms of the composition root name these; everyone else sees their ports. */
const adapters = [
  'src/event-store/postgres.ts',
  'src/event-store/eventstoredb.ts',
  'src/reading/postgres-read-models.ts',
  'src/platform/embedded-postgres.ts',
  'src/top-ups/stripe.ts',
]

/** What may lie at the top; everything else there is a cache or a typo in a redirection. */
const topLevel = [
  ...['.ci', '.dockerignore', '.env.example', '.gitignore', '.npmrc', '.oxfmtrc.json'],
  ...['.oxlintrc.json', 'CHANGELOG.md', 'CONTRIBUTING.md', 'Dockerfile', 'LICENSE'],
  ...['README.md', 'SECURITY.md', 'docker-compose.yml', 'docs'],
  ...['package-lock.json', 'package.json', 'projections', 'src', 'test', 'tsconfig.json'],
  'widget-ui',
]

/** The kinds of files below it, by their ending. */
const kinds = /\.(ts|tsx|mjs|mts|js|sql|css|html|svg|png|md|json|jsonl|lua)$|^\.ci\/run$/

/** Where a reader or a machine begins: programs, pages, tests, and what documents tell to run. */
const beginnings = [
  /^src\/main\.ts$/,
  /^src\/client\/wallet-client\.ts$/,
  /^src\/launch\/\w+\.mjs$/,
  /^widget-ui\/(\w+\/index\.html|build\.mjs)$/,
  /^widget-ui\/src\/(css\.d|loader\/(loader|wallet-widget\.d))\.ts$/,
  /^docs\/example-shop\/(server\.mjs|public\/.+)$/,
  /^test\/(run\.mjs|.+\.test\.ts)$/,
]

const tracked = trackedFiles()
const noCheckout = tracked === undefined && 'this is no git checkout'

t.test('nothing stray is in the repository', { skip: noCheckout }, (t) => {
  for (const file of tracked ?? []) {
    const [top = ''] = file.split('/')
    if (!topLevel.includes(top)) t.fail(`${file} is at no known place of the top level`)
    if (file !== top && !kinds.test(file)) t.fail(`${file} is of an unknown kind`)
    const path = pathOfMachine(file)
    if (path !== undefined) t.fail(`${file} holds a path of a machine: ${path}`)
  }
  t.end()
})

t.test('every source file is used by something', { skip: noCheckout }, (t) => {
  const all = new Set(tracked)
  const told = [...all].filter((file) => documents.some((text) => text.includes(file)))
  const starts = [...all].filter((file) => beginnings.some((pattern) => pattern.test(file)))
  const reached = reachedFrom([...starts, ...told], all)
  for (const file of all)
    if (/^(src|projections|widget-ui|test)\/.+\.(ts|tsx|mjs|mts|js|css|svg|lua|jsonl)$/.test(file))
      if (!reached.has(file)) t.fail(`${file} is used by nobody`)
  // Migrations are read by their names.
  for (const file of [...all].filter((name) => name.endsWith('.sql'))) {
    const users = product.filter((name) => file.startsWith(`${dirname(name)}/`)).map(textOf)
    if (!users.some((text) => text.includes(basename(file, '.sql'))))
      t.fail(`${file} is read by nobody`)
  }
  t.end()
})

t.test('every local link in the documents leads somewhere', { skip: noCheckout }, (t) => {
  for (const page of (tracked ?? []).filter((file) => file.endsWith('.md')))
    for (const link of brokenLinks(page, new Set(tracked)))
      t.fail(`${page} links to ${link}, where nothing is`)
  t.end()
})

t.test('decisions are numbered without a gap', { skip: noCheckout }, (t) => {
  const pages = (tracked ?? []).filter((file) => file.startsWith('docs/decisions/')).sort()
  for (const [index, page] of pages.entries()) {
    const number = String(index + 1).padStart(4, '0')
    t.ok(basename(page).startsWith(`${number}-`), `${page} is decision ${number}`)
    t.match(textOf(page), new RegExp(`^# ${number} `), `${page} says its number`)
  }
  t.end()
})

t.test('nobody imports what lies above', (t) => {
  for (const file of product)
    for (const target of importsOf(file)) {
      const allowed = layers[layerOf(file)]
      if (allowed === undefined) t.fail(`${file} belongs to no layer`)
      else if (!mayImport(file, target, allowed)) t.fail(`${file} may not import ${target}`)
    }
  t.end()
})

t.test('no file imports itself, also not by way of others, also not for types alone', (t) => {
  for (const circle of circlesOf(shipped)) t.fail(circle)
  t.end()
})

t.test('a table is asked only by the room whose SQL made it', (t) => {
  const owners = tableOwners(product)
  const schemas = new Set([...owners.keys()].map((name) => name.replace(/\..*/, '')))
  t.ok(schemas.size > 5, 'the tables are found')
  for (const file of product)
    for (const name of tablesNamedIn(file, schemas)) {
      const owner = owners.get(name) ?? owners.get(name.replace(/\..*/, '.*'))
      if (owner === undefined) t.fail(`${file} names ${name}, which no SQL makes`)
      else if (!file.startsWith(`${owner}/`)) t.fail(`${file} asks ${name}, a table of ${owner}`)
    }
  t.end()
})

t.test('only the composition root names adapters', (t) => {
  for (const file of product.filter((name) => !name.startsWith('src/compose/')))
    for (const target of importsOf(file))
      if (adapters.includes(target) && dirname(target) !== dirname(file))
        t.fail(`${file} names the adapter ${target}`)
  t.end()
})

t.test('a command for client apps, people or admins loads no routes and no lanes', (t) => {
  const starts = ['client-apps', 'users', 'admin'].map((name) => `src/cli/${name}.ts`)
  const loaded = [...loadedBy(starts)]
  t.ok(loaded.includes('src/compose/database.ts'), 'what is loaded is found')
  t.same(
    loaded.filter((file) => /^src\/(compose\.ts|(http|writing|reading)\/)/.test(file)),
    [],
  )
  t.end()
})

t.test('the domain imports nothing but the hash of node:crypto', (t) => {
  for (const file of product.filter((name) => name.startsWith('src/domain/')))
    for (const name of packagesOf(file))
      if (!(name === 'node:crypto' && file === 'src/domain/digest.ts'))
        t.fail(`${file} imports ${name}`)
  t.end()
})

t.test('the environment, the clock and randomness are read in one place each', (t) => {
  const rules: [RegExp, (file: string) => boolean][] = [
    [/\bprocess\.env\b/, (file) => file === 'src/config.ts'],
    [/\bDate\.now\(|\bnew Date\(\)|\bsetTimeout\(|\bsetInterval\(/, givesTheMachine],
    [/\bMath\.random\(|\brandomUUID\b|\brandomBytes\b|\brandomInt\b/, givesTheMachine],
  ]
  for (const file of product)
    for (const [pattern, isAllowed] of rules)
      if (!isAllowed(file) && pattern.test(codeOf(file))) t.fail(`${file} uses ${pattern}`)
  t.end()
})

t.test('files have at most 400 lines of at most 100 columns', (t) => {
  for (const file of everything) {
    const lines = textOf(file).trimEnd().split('\n')
    // One file, because auditors run it alone: the one exception.
    const mayBeLong = file === 'src/verify-bundle/verify-bundle.mjs'
    if (lines.length > 400 && !mayBeLong) t.fail(`${file} has ${lines.length} lines`)
    const long = lines.findIndex((line) => Array.from(line).length > 100)
    if (long !== -1) t.fail(`${file}:${long + 1} has more than 100 columns`)
  }
  t.end()
})

t.test('functions fit a screen: at most 60 lines', (t) => {
  for (const file of shipped)
    for (const { name, lines, line } of functionsOf(file))
      if (lines > 60) t.fail(`${file}:${line} ${name} has ${lines} lines`)
  t.end()
})

t.test('every file of the product says in its header what it owns, in two to eleven lines', (t) => {
  for (const file of shipped) {
    const [header] = /^\/\*\*\n(?: \*.*\n)+? \*\/\n/.exec(textOf(file)) ?? []
    const lines = (header?.split('\n').length ?? 0) - 3
    // Many a part of a page is said in one line.
    if (pages.includes(file) && /^\/\*\* .* \*\/\n/.test(textOf(file))) continue
    if (lines < 2 || lines > 11) t.fail(`${file} has a header of ${Math.max(lines, 0)} lines`)
  }
  t.end()
})

t.test('names are whole kebab-case nouns, and nothing is a utility, a service or a barrel', (t) => {
  for (const file of everything) {
    const name = basename(file).replace(/(\.test|\.d)?\.(tsx?|mjs)$/, '')
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) t.fail(`${file} is not kebab-case`)
    if (/(^|\/)(utils?|helpers?|services?|managers?|common|misc|index)(\.tsx?|\.mjs|\/)/.test(file))
      t.fail(`${file} is named for nothing`)
  }
  t.end()
})

t.test('no any, enum, non-null assertion or switched-off check', (t) => {
  const forbidden =
    /\bas any\b|: any\b|<any>|\benum \w+ \{|@ts-(ignore|nocheck|expect-error)|(es|ox)lint-disable/
  const self = 'test/tidy.test.ts'
  for (const file of everything.filter((name) => name !== self))
    if (forbidden.test(codeOf(file))) t.fail(`${file} holds ${forbidden.exec(codeOf(file))?.[0]}`)
  t.end()
})

t.test('test names are sentences that say what is, not what ought to be', (t) => {
  for (const file of everything.filter((name) => name.endsWith('.test.ts')))
    for (const [, name = ''] of textOf(file).matchAll(/\bt\.test\(\s*['"`](.+?)['"`],/g))
      if (/\bshould\b/i.test(name)) t.fail(`${file}: ${name}`)
  t.end()
})

t.test('every limit is used by somebody', (t) => {
  const users = everything
    // How two limits stand to each other is no use of either.
    .filter((file) => !['src/limits.ts', 'test/limits.test.ts'].includes(file))
    .map(textOf)
    .join('\n')
  for (const [, name = ''] of textOf('src/limits.ts').matchAll(/export const (\w+)/g))
    if (!new RegExp(`\\b${name}\\b`).test(users)) t.fail(`nobody uses the limit ${name}`)
  t.end()
})

/** Without comments: a sentence may name what code may not use. */
function codeOf(file: string): string {
  return textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}

function layerOf(file: string): string {
  const [top = '', second = ''] = file.split('/')
  return top === 'projections' ? top : `${top}/${second.replace(/\.ts$/, '')}`
}

function mayImport(file: string, target: string, allowed: readonly string[]): boolean {
  if (allowed.includes('*') || layerOf(target) === layerOf(file)) return true
  return allowed.includes(layerOf(target)) || allowed.includes(target.replace(/\.ts$/, ''))
}

/** The client is no part of the service: it has a machine of its own. */
function givesTheMachine(file: string): boolean {
  return file.startsWith('src/platform/') || file === 'src/client/runtime.ts'
}

function functionsOf(file: string): { name: string; lines: number; line: number }[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true)
  const found: { name: string; lines: number; line: number }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const first = source.getLineAndCharacterOfPosition(node.getStart()).line
      const last = source.getLineAndCharacterOfPosition(node.end).line
      const name = node.name?.getText() ?? 'a function'
      found.push({ name, lines: last - first + 1, line: first + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
