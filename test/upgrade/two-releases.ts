/**
 * `npm run two-releases`: a process of the release before and one of this on one PostgreSQL, both
 * serving the same wallets, from the first migration of this release to `upgrade finish`.
 * `-- --before <commit>` names the release before (of this repository, which must have it);
 * `--seconds 10` how long both run; Exit code 1 when anything is wrong:
 * a repeat that is answered otherwise by the other one, an event that the old one cannot read, a
 * hold before the upgrade is finished or none after it, an audit that differs, or a statement, a
 * bundle or an export of the old data with another byte.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import pg from 'pg'
import { WalletClient } from '../../src/client/wallet-client.js'
import { root } from '../support/repository.js'
import { ServiceProcess } from '../support/service-process.js'
import { openSharedPostgres } from '../support/shared-postgres.js'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { before: text, seconds: text } })
/** The last commit before there were holds. */
const before = values.before ?? 'b8a4aae'
const seconds = Number(values.seconds ?? 10)
const wallets = 6
const atOnce = 8

/** What the release before writes and reads. */
const oldKinds = [
  ...['WalletOpened', 'WalletDeactivated', 'WalletReactivated', 'WalletToppedUp', 'BonusGranted'],
  ...['WalletDebited', 'WalletCredited', 'DebitDeclined', 'CreditDeclined'],
  ...['TopUpReversed', 'TopUpReinstated'],
]

const wrong: string[] = []
const startedMs = performance.now()
const closing: (() => Promise<unknown>)[] = []
try {
  const built = await buildBefore()
  const database = await openSharedPostgres('wallet-upgrade-')
  closing.push(() => database.close())
  await run(built, { DATABASE_URL: database.url, DATA_DIR: database.folder })
} finally {
  for (const close of closing.reverse()) await close()
}
for (const fault of wrong.slice(0, 20)) console.log(`WRONG: ${fault}`)
console.log(wrong.length === 0 ? 'all is as it must be' : `${wrong.length} faults`)
process.exitCode = wrong.length === 0 ? 0 : 1

/** Without npm: this release has what that one needs, and its launcher would tidy it away. */
async function buildBefore(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wallet-before-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const run = promisify(execFile)
  const archive = join(folder, 'sources.tar')
  await run('git', ['-C', root, 'archive', '--output', archive, before])
  await run('tar', ['-xf', archive, '-C', folder])
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await run(process.execPath, [join('src', 'launch', 'build.mjs')], { cwd: folder })
  say(`${before} is built`)
  return folder
}

async function run(built: string, place: Readonly<Record<string, string>>): Promise<void> {
  // Checkpoints on demand only: a bundle names the newest.
  const settings = { ...place, CHECKPOINT_EVERY_MINUTES: '0' }
  const old = await ServiceProcess.prepare(settings, built)
  const fresh = await ServiceProcess.prepare(settings)
  closing.push(
    () => old.remove(),
    () => fresh.remove(),
  )
  const oldOrigin = await old.start()
  const app = await old.run<App>('client-apps', 'create', '--name', 'Shop')
  const people = await makePeople(oldOrigin, app)
  const [quiet = '', ...busy] = people
  await book([clientOf(oldOrigin, app)], people, { prefix: 'old', untilMs: Date.now() + 2_000 })
  await old.run('audit', 'checkpoint')
  const endOfOld = new Date().toISOString()
  const papers = await papersOf(old, { of: quiet, to: endOfOld, file: join(built, 'old.json') })
  say(`${Object.keys(papers).length} papers of the old data, by the release before`)

  // As the guide to holds says: the old one runs on.
  await fresh.text('rebuild')
  const alone = { prefix: 'rebuilt', untilMs: Date.now() + 1_000 }
  const rounds = await book([clientOf(oldOrigin, app)], busy, alone)
  say(`${rounds} rounds of entries by the old one on new tables`)
  const freshOrigin = await fresh.start()
  const clients = [clientOf(oldOrigin, app), clientOf(freshOrigin, app)]
  await requireHold(freshOrigin, { ...app, of: busy[0] ?? '', status: 503 })
  const untilMs = Date.now() + seconds * 1_000
  const booked = await book(clients, busy, { prefix: 'both', untilMs })
  say(`${booked} rounds of entries by both, each reference asked of both`)
  await requireHold(freshOrigin, { ...app, of: busy[0] ?? '', status: 503 })
  await requireOldKinds(place['DATABASE_URL'] ?? '')
  // A rebuild made the journal of this release: the only thing that the old one finds.
  await requireAgreement(old, 'the release before', { apartFrom: 'journal-view' })
  await requireAgreement(fresh, 'this release')

  await old.stop('SIGTERM')
  const finished = await fresh.run<{ changed: boolean }>('upgrade', 'finish')
  if (!finished.changed) wrong.push('the upgrade was finished before')
  await requireHold(freshOrigin, { ...app, of: busy[0] ?? '', status: 200 })
  const after = await book([clientOf(freshOrigin, app)], busy, {
    ...{ prefix: 'after', untilMs: Date.now() + 1_000 },
  })
  say(`${after} rounds of entries after the upgrade was finished`)
  await requireAgreement(fresh, 'this release, with holds')
  const now = await papersOf(fresh, { of: quiet, to: endOfOld, file: join(built, 'new.json') })
  for (const [name, paper] of Object.entries(papers))
    if (now[name] !== paper) wrong.push(`${name} of the old data has changed`)
  say(`${Object.keys(now).length} papers of the old data, by this release`)
}

interface App {
  readonly clientId: string
  readonly clientSecret: string
}

function clientOf(url: string, app: App): WalletClient {
  return new WalletClient({ ...app, url })
}

async function makePeople(origin: string, { clientId }: App): Promise<string[]> {
  const people: string[] = []
  for (let number = 1; number <= wallets; number += 1) {
    const answer = await fetch(`${origin}/api/widget/auth/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ email: `person-${number}@example.com`, password: 'correct horse battery' },
        ...{ firstName: 'Ada', lastName: 'Byron', clientId },
      }),
    })
    people.push(((await answer.json()) as { serviceUserId: string }).serviceUserId)
  }
  return people
}

/** Credits, debits and refunds; each asked of every client at once, whose answers must be equal. */
async function book(
  clients: readonly WalletClient[],
  people: readonly string[],
  { prefix, untilMs }: { readonly prefix: string; readonly untilMs: number },
): Promise<number> {
  let number = 0
  const worker = async (): Promise<void> => {
    while (Date.now() < untilMs) {
      number += 1
      const own = number
      const serviceUserId = people[own % people.length] ?? ''
      const pair = (kind: string) => ({
        ...{ referenceType: 'UPGRADE', referenceId: `${prefix}-${kind}-${own}` },
      })
      const base = { serviceUserId, amount: 1 + (own % 7) }
      await same(clients, (client) => client.credit({ ...base, ...pair('credit') }))
      const debit = { ...base, amount: 1 + (own % 5), ...pair('debit') }
      await same(clients, (client) => client.debit(debit))
      if (own % 3 !== 0) continue
      const refund = { ...debit, ...pair('refund'), refundOf: pair('debit') }
      await same(clients, (client) => client.credit(refund))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return number
}

interface Answered {
  readonly outcome: string
  readonly balance?: number | undefined
}

async function same(
  clients: readonly WalletClient[],
  work: (client: WalletClient) => Promise<Answered>,
): Promise<void> {
  const answers = await Promise.all(clients.map((client) => work(client)))
  const told = answers.map(({ outcome, balance }) => `${outcome} ${balance ?? ''}`)
  if (new Set(told).size !== 1) wrong.push(`one reference, two answers: ${told.join(', ')}`)
}

async function requireHold(
  origin: string,
  { of, status, ...app }: App & { readonly of: string; readonly status: number },
): Promise<void> {
  const post = async (path: string, fields: object): Promise<Answer> => {
    const answer = await fetch(`${origin}/api/server/wallet/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...app, serviceUserId: of, referenceType: 'HOLD', ...fields }),
    })
    return { status: answer.status, body: (await answer.json()) as Answer['body'] }
  }
  const holdOf = { referenceType: 'HOLD', referenceId: 'H-1' }
  const answers = [
    await post('hold', { referenceId: 'H-1', amount: 1 }),
    await post('hold/capture', { referenceId: 'K-1', holdOf, amount: 0.5 }),
    await post('hold/release', { referenceId: 'X-1', holdOf }),
  ]
  for (const { status: given, body } of answers)
    if (given !== status || (status === 503 && body.code !== 'UPGRADE_UNFINISHED'))
      wrong.push(`a hold is answered with ${given} ${JSON.stringify(body)}, not ${status}`)
}

interface Answer {
  readonly status: number
  readonly body: { readonly code?: string }
}

async function requireOldKinds(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ type: string; count: number }>(
    'select type, count(*)::int from ledger.events group by type order by type',
  )
  await client.end()
  for (const { type } of rows)
    if (!oldKinds.includes(type)) wrong.push(`${type} was written before the upgrade was finished`)
  say(`events: ${rows.map(({ type, count }) => `${count} ${type}`).join(', ')}`)
}

async function requireAgreement(
  service: ServiceProcess,
  whose: string,
  { apartFrom }: { readonly apartFrom?: string } = {},
): Promise<void> {
  const text = await service.text('audit', 'verify', '--json').catch((error: unknown) => {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout)
    throw error
  })
  const { events, divergence } = JSON.parse(text) as Verified
  if (divergence !== undefined && divergence.kind !== apartFrom)
    wrong.push(`audit verify of ${whose} differs: ${text}`)
  else say(`audit verify of ${whose}: ${events} events agree (${divergence?.kind ?? 'all'})`)
}

interface Verified {
  readonly events: number
  readonly divergence?: { readonly kind: string }
}

/** Of one wallet that is left alone, and of the time before this release. */
async function papersOf(
  service: ServiceProcess,
  { of, to, file }: { readonly of: string; readonly to: string; readonly file: string },
): Promise<Record<string, string>> {
  const papers: Record<string, string> = {}
  for (const format of ['table', 'csv', 'json'])
    papers[`statement ${format}`] = await service.text(
      ...['audit', 'statement', of, '--to', to, '--format', format],
    )
  for (const format of ['hledger', 'beancount', 'csv', 'ndjson'])
    // How long the log is by now stands in the first line of some.
    papers[`export ${format}`] = (
      await service.text('audit', 'export', '--to', to, '--format', format)
    ).replace(/, as of position \d+ of the log/, '')
  await service.text('audit', 'bundle', of, '--out', file)
  papers['bundle'] = await readFile(file, 'utf8')
  return papers
}

function say(line: string): void {
  console.log(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s: ${line}`)
}
