/**
 * Every command of the documents is run, in the order in which a stranger reads the pages, against
 * one service: what is printed below a command there is printed here. What runs for long, or until
 * Ctrl-C, is named with the test or program that runs it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import type { Test } from 'tap'
import { blocksOf, printedBy, run, runBlocks, typedIn } from '../support/guide-commands.js'
import type { Block } from '../support/guide-commands.js'
import { dataFolderOf } from '../support/database.js'
import { root, textOf, trackedFiles } from '../support/repository.js'
import { startWholeService } from '../support/whole-service.js'

/** In the order of a first hour. */
const pages = [
  'README.md',
  'docs/guides/integrate.md',
  'docs/guides/call-from-a-backend.md',
  'docs/guides/test-with-the-sandbox.md',
  'docs/guides/holds.md',
  'docs/reference/server-api.md',
  'docs/reference/widget-api.md',
  'docs/guides/audit-a-wallet.md',
  'docs/guides/go-live.md',
  'docs/example-shop/README.md',
]

/** Pages whose blocks are run by something else. */
const otherPages: Readonly<Record<string, string>> = {
  'docs/guides/benchmark.md': 'test/bench/bench.ts',
  'docs/guides/simulate.md': 'test/simulation/simulation.test.ts',
  // A listener for messages, in a browser.
  'docs/guides/embed-the-widget.md': 'test/browser/widget.test.ts',
  'docs/guides/webhooks.md': 'test/docs/webhooks-guide.test.ts',
}

/** Commands that begin like this, and what runs them. */
const elsewhere: readonly (readonly [start: string, where: string])[] = [
  ['npm start', 'test/launch.test.ts'],
  ['WEBHOOKS_ALLOW_PRIVATE=true npm start', 'test/docs/webhooks-guide.test.ts'],
  ['npm test', 'test/run.mjs'],
  ['SEED=123 npm test', 'test/run.mjs'],
  ['npm run check', 'test/run.mjs'],
  ['npm run demo', 'test/cli/demo.test.ts'],
  ['npm run simulate', 'test/simulation/simulate.ts'],
  ['npm run chaos', 'test/chaos/chaos.ts'],
  ['npm run eventstore-chaos', 'test/chaos/eventstore-chaos.ts'],
  ['npm run client-faults', 'test/client/client-faults.ts'],
  ['npm run webhook-kills', 'test/webhooks/webhook-kills.ts'],
  ['npm run random-requests', 'test/http/random-requests.ts'],
  ['npm run schema-drift', 'test/http/schema-drift.ts'],
  ['npm run -s wallet -- project', 'test/cli/cli.test.ts'],
  ['npm run -s wallet -- rebuild', 'test/cli/audit.test.ts'],
  ['npm run -s wallet -- audit export --format beancount', 'test/cli/audit-exports.test.ts'],
  ['npm run -s wallet -- audit export --format csv', 'test/cli/audit-exports.test.ts'],
  ['npm run -s wallet -- audit export --format ndjson', 'test/cli/audit-exports.test.ts'],
  ['node --import tsx test/bench/', 'test/bench/cold-debit.ts'],
  ['node --env-file=shop.env docs/examples/backend.mjs', 'test/docs/commands.test.ts'],
  ['node --env-file=shop.env docs/example-shop/', 'test/docs/example-shop.test.ts'],
  ['node verify-bundle.mjs forged.json', 'test/audit/bundle.test.ts'],
  ['SPEC_BASE_URL=', 'test/spec/04a-server-wallet.test.ts'],
]

const tools = ['bash', 'curl'].filter((name) => !isInstalled(name))
const skip = tools.length > 0 && `not installed here: ${tools.join(', ')}`

function isInstalled(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':')
  return folders.some((folder) => existsSync(join(folder, name)))
}

t.test('every page with commands is run here, or says by what', (t) => {
  const tracked = trackedFiles() ?? []
  const told = [...pages, ...Object.keys(otherPages)]
  for (const page of tracked.filter((file) => /^(docs\/.+|[A-Z]+)\.md$/.test(file)))
    if (blocksOf(page).some(({ language }) => ['sh', 'js'].includes(language)))
      t.ok(told.includes(page), page)
  const written = Object.entries(otherPages).filter(([page]) => tracked.includes(page))
  for (const [, where] of [...written, ...elsewhere]) t.ok(existsSync(join(root, where)), where)
  t.end()
})

t.test('the commands of the documents do what is told', { skip }, async (t) => {
  const { databaseUrl } = await startWholeService(t, { WEBHOOKS_ALLOW_PRIVATE: 'true' })
  const folder = t.testdir({})
  for (const name of ['docs', 'src']) symlinkSync(join(root, name), join(folder, name))
  const verifier = 'src/verify-bundle/verify-bundle.mjs'
  symlinkSync(join(root, verifier), join(folder, 'verify-bundle.mjs'))
  const environment = {
    WALLET_MAIN: process.env['WALLET_TEST_MAIN'] ?? join(root, 'dist', 'src', 'main.js'),
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataFolderOf(databaseUrl),
    NODE_ENV: 'test',
    LOG_LEVEL: 'error',
  }
  const port = await freePort()
  let proof = {}
  for (const page of pages)
    await t.test(page, async (t) => {
      await readAndType(t, page, { folder, port, environment: { ...environment, ...proof } })
      if (page !== 'README.md') return
      await payInTheExample(t, { folder, port })
      proof = {
        LINK_PROOF: (await signUp(variablesIn(folder), 'proof@example.com'))['linkProof'] ?? '',
      }
    })
})

interface Desk {
  readonly folder: string
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
}

/** As a stranger does: every block from the top, and a look whether it printed what it says. */
async function readAndType(t: Test, page: string, { folder, port, environment }: Desk) {
  const all = blocksOf(page)
  const blocks = all.flatMap((block) => commandsOf(block, port))
  const { code, printed, errors } = await runBlocks(blocks, { folder, environment })
  t.equal(code, 0, `${page}:${[...printed.keys()].at(-1)} ${errors}`)
  for (const block of blocks)
    for (const line of printedBy(block)) {
      const lines = printed.get(block.line)?.split('\n') ?? []
      const isPrinted = lines.some((text) => looksLike(text, line))
      t.ok(isPrinted, `${page}:${block.line} prints ${line}`)
    }
  const program = all.filter(({ language }) => language === 'js')
  if (program.length === 0) return
  const inRepository = { folder: root, environment: { ...environment, ...variablesIn(folder) } }
  const text = program.map((block) => block.text).join('\n')
  t.match(await run('node', ['--input-type=module'], inRepository, text), { code: 0, stderr: '' })
}

/** A document shows … where every run prints something else. */
function looksLike(text: string, shown: string): boolean {
  const [first = '', ...more] = shown.split('…')
  let at = text.startsWith(first) ? first.length : -1
  for (const part of more) at = at === -1 ? -1 : endOf(text, part, at)
  return at !== -1 && (shown.endsWith('…') || at === text.length)
}

function endOf(text: string, part: string, from: number): number {
  const start = text.indexOf(part, from)
  return start === -1 ? -1 : start + part.length
}

const typedBefore = new Set<string>()

/** What is to be typed, without what something else runs. */
function commandsOf(block: Block, port: number): Block[] {
  if (!['sh', ''].includes(block.language)) return []
  const typed = block.language === 'sh' ? block.text : typedIn(block)
  // A command may go on in the next line.
  const commands = typed.replaceAll('localhost:4000', `localhost:${port}`).split(/(?<!\\)\n/)
  const here = commands.filter((line) => {
    if (elsewhere.some(([start]) => line.startsWith(start))) return false
    const command = line.replace(/ +#.*$/, '')
    const isAgain = typedBefore.has(command)
    // Commands that only look need not be looked at twice: each start costs half a second.
    if (/^npm run -s wallet -- (audit|migrate|wallets)/.test(command)) typedBefore.add(command)
    return !isAgain
  })
  return here.join('').trim() === '' ? [] : [{ ...block, text: here.join('\n') }]
}

function variablesIn(folder: string): Record<string, string> {
  const lines = readFileSync(join(folder, 'shop.env'), 'utf8').trim().split('\n')
  const pairs = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    return [name, value]
  })
  return Object.fromEntries(pairs)
}

/** The backend of the README, as its page uses it. */
async function payInTheExample(t: Test, { folder, port }: Omit<Desk, 'environment'>) {
  const [command = ''] = elsewhere.flatMap(([start]) => (start.includes('backend') ? [start] : []))
  t.match(textOf('README.md'), `\n${command}\n`)
  const [program = '', ...args] = command.split(' ')
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.teardown(() => child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const origin = `http://localhost:${port}`
  t.match(await lines.next(), { value: `Open ${origin}` })

  const opened = await fetch(origin)
  const { WALLET_URL = '', WALLET_CLIENT_ID = '', ...shop } = variablesIn(folder)
  const html = await opened.text()
  t.match(html, `<script src="${WALLET_URL}/widget/loader.js">`)
  t.match(html, `clientId: '${WALLET_CLIENT_ID}'`)
  t.notOk(html.includes(shop['WALLET_CLIENT_SECRET'] ?? ''), 'the secret stays in the backend')
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
  const post = async (path: string, body: object = {}, from = origin) => {
    const headers = { 'content-type': 'application/json', cookie, origin: from }
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  t.same((await post('/wallet/session')).body, {}, 'nobody is linked')
  t.match((await post('/orders/pay')).body, { paid: false, say: /^Log in/ })
  t.equal((await post('/orders/pay', {}, 'https://evil.example')).status, 403)
  t.equal((await post('/wallet/link', { linkProof: 'lp_forged' })).status, 502)
  const env = variablesIn(folder)
  const { linkProof = '' } = await signUp(env, 'example@example.com')
  t.same(await post('/wallet/link', { linkProof }), { status: 200, body: {} })
  t.match((await post('/wallet/session')).body, { sessionToken: /^ws_/ })
  t.match((await post('/orders/pay')).body, { paid: false, shortfall: 4.5 })
  await post('/wallet/unlink')
  const ada = { email: 'ada@example.com', password: 'correct horse' }
  const login = await widgetPost(env, '/api/widget/auth/login', ada)
  await post('/wallet/link', { linkProof: login['linkProof'] })
  t.match((await post('/orders/pay')).body, { paid: true, say: /^Paid/ }, 'from what is left of 50')
  const said = 'wallet.entry: the balance is 25.51'
  t.match(await lines.next(), { value: said }, 'the service tells the backend of it')
  t.match(textOf('README.md'), `\`${said}\``)
  t.equal((await post('/webhooks', { type: 'wallet.entry' })).status, 400, 'only what is signed')
}

function signUp(env: Record<string, string>, email: string) {
  const person = { email, password: 'correct horse', firstName: 'Eve', lastName: 'Example' }
  return widgetPost(env, '/api/widget/auth/signup', person)
}

async function widgetPost(env: Record<string, string>, path: string, fields: object) {
  const answer = await fetch(`${env['WALLET_URL']}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId: env['WALLET_CLIENT_ID'], ...fields }),
  })
  return (await answer.json()) as Record<string, string>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
