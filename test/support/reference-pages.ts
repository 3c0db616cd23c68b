/**
 * docs/reference/errors.md and limits.md, made from the code: the table of errors, the routes of
 * the OpenAPI document that give each, and the bounds that a client meets. The names of limits
 * stand beside them, so that a reader of the code finds each one's reason.
 */
import * as client from '../../src/client/limits.js'
import * as reference from '../../src/domain/reference.js'
import { errorTable, type ErrorRow } from '../../src/http/error-table.js'
import * as http from '../../src/http/limits.js'
import * as identity from '../../src/identity/limits.js'
import * as service from '../../src/limits.js'
import * as topUps from '../../src/top-ups/limits.js'
import { laidOut } from './layout.js'
import { operationsOf, type OpenApi } from './openapi.js'
import { textOf } from './repository.js'

const declines = /A new attempt needs a new referenceId\.$/

export function errorsPage(document: OpenApi): Promise<string> {
  const places = placesOf(document)
  const rows = Object.entries(errorTable).map(([code, row]: [string, ErrorRow]) => {
    const status =
      row.commandStatus === undefined ? '' : `, ${row.commandStatus} on debit and credit`
    const more = [
      row.requiresAuth && '`requiresAuth: true`',
      row.retryAfter && '`Retry-After`',
      declines.test(row.text) && 'uses the reference up',
    ]
    const cells = [`\`${code}\``, `${row.status}${status}`, row.text]
    return [...cells, more.filter(Boolean).join(', '), placesText(places.get(code) ?? [])]
  })
  return page(`# Errors

${made('`src/http/error-table.ts`')}

A body is \`{ "error": "…", "code": "…" }\`: \`error\` is for people and may change,
\`code\` is for programs and does not. What a fault means for money:

- A code that **uses the reference up** is a decline: the outcome of this reference, for ever. A new
  attempt takes a new one.
- Any other 4xx: nothing was booked, and no reference is used up.
- 5xx, a time-out, a cut connection: unknown. The same request with the very same reference gives
  the outcome.

${table(['code', 'status', 'error', 'more', 'given by'], rows)}
`)
}

/** Which routes give a code, as the document draws it. */
function placesOf(document: OpenApi): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const { method, path, operation } of operationsOf(document))
    for (const { $ref = '' } of Object.values(operation.responses))
      for (const code of $ref.replace(/^.*\//, '').split('.'))
        if (code in errorTable) places.set(code, [...(places.get(code) ?? []), `${method} ${path}`])
  return places
}

function placesText(places: readonly string[]): string {
  if (places.length > 30) return 'every route'
  if (places.length === 0) return 'before any route'
  if (places.length <= 4) return places.map((place) => `\`${place}\``).join(', ')
  const groups = [
    ['/api/server/', 'server routes'],
    ['/api/widget/', 'widget routes'],
    ['/api/admin/', 'admin routes'],
    ['', 'others'],
  ] as const
  const found = places.map((place) => groups.find(([start]) => place.includes(start))?.[1])
  return [...new Set(found)].join(', ')
}

type Bounds = Readonly<Record<string, unknown>>
type Line = readonly [what: string, bounds: Bounds, name: string, unit: Unit]
type Unit = 'bytes' | 'characters' | 'time' | 'seconds' | ''

const sections: readonly (readonly [title: string, lines: readonly Line[]])[] = [
  [
    'Requests',
    [
      ['`referenceType`, bytes of UTF-8', reference, 'referenceTypeBytesMax', 'bytes'],
      ['`referenceId`, bytes of UTF-8', reference, 'referenceIdBytesMax', 'bytes'],
      ['`description`', reference, 'descriptionCharactersMax', 'characters'],
      ['a body', service, 'bodyBytesMax', 'bytes'],
      ['values in a body', http, 'bodyValuesMax', ''],
      ['levels in a body', http, 'bodyLevelsMax', ''],
      ['sending a request', service, 'requestTimeoutMs', 'time'],
      ['answer to a command, at the latest', service, 'commandDeadlineMs', 'time'],
      ['your own `x-request-id`', service, 'requestIdLengthMax', 'characters'],
      ['entries of a page, if none are asked for', service, 'pageEntriesStandard', ''],
      ['entries of a page', service, 'pageEntriesMax', ''],
      ['commands of `POST /api/server/wallet/bulk`', http, 'bulkCommandsMax', ''],
      ['its body', http, 'bulkBodyBytesMax', 'bytes'],
      ['its values', http, 'bulkBodyValuesMax', ''],
    ],
  ],
  [
    'Shares of a client app, in one process; beyond them 429',
    [
      ['commands under way', http, 'appCommandsMax', ''],
      ['answers to reads under way', http, 'appReadBytesMax', 'bytes'],
      ['reads that wait', http, 'appReadsWaitingMax', ''],
      ['how long they wait', http, 'appReadWaitMs', 'time'],
      ['searches under way', http, 'searchesAtOnceMax', ''],
      ['searches that wait', http, 'searchesWaitingMax', ''],
    ],
  ],
  [
    'Requests without right credentials, from one address; beyond them 429',
    [
      ['a second', http, 'strangerRequestsPerSecond', ''],
      ['bytes a second', http, 'strangerBytesPerSecond', 'bytes'],
      ['saved up for', http, 'strangerBurstSeconds', 'seconds'],
      ['questions to the doctor a minute', http, 'doctorCallsPerAddress', ''],
    ],
  ],
  [
    'The widget',
    [
      ['a session lives', service, 'widgetSessionMs', 'time'],
      ['a link proof lives, and works once', service, 'linkProofMs', 'time'],
      ['entries that it shows', service, 'widgetEntries', ''],
      ['open wallets of one person', service, 'walletStreamsPerWalletMax', ''],
      ['open wallets of one process', service, 'walletStreamsMax', ''],
      ['the loader is kept by browsers', service, 'loaderCacheSeconds', 'seconds'],
      [
        'secrets, links and deactivated apps are believed at most',
        service,
        'answerCacheMs',
        'time',
      ],
    ],
  ],
  [
    'People',
    [
      ['a password at least', service, 'passwordCharactersMin', 'characters'],
      ['a password at most', service, 'passwordCharactersMax', 'characters'],
      ['an email', service, 'emailCharactersMax', 'characters'],
      ['a first or last name', service, 'nameCharactersMax', 'characters'],
      ['login tries of one address for one account', identity, 'loginTriesPerPair', ''],
      ['sign-ups of one address', identity, 'loginTriesPerAddress', ''],
      ['both within', identity, 'loginWindowMs', 'time'],
      ['the longest delay of a login', identity, 'loginDelayMaxMs', 'time'],
      ['a link to a new password', service, 'resetTokenMs', 'time'],
    ],
  ],
  [
    'Top-ups',
    [
      ['intents of one wallet', topUps, 'intentTriesPerWallet', ''],
      ['confirms of one wallet', topUps, 'confirmTriesPerWallet', ''],
      ['both within', topUps, 'intentWindowMs', 'time'],
      ['an intent that nobody pays is cancelled after', topUps, 'intentOpenMs', 'time'],
      ['age of a signed webhook of the processor', topUps, 'webhookToleranceSeconds', 'seconds'],
    ],
  ],
  [
    'A client app',
    [
      ['its name', service, 'nameCharactersMax', 'characters'],
      ['its brand', service, 'brandCharactersMax', 'characters'],
      ['origins in each list', service, 'originsMax', ''],
      ['live secrets', service, 'liveSecretsMax', ''],
    ],
  ],
  [
    'The client `wallet-service/client`',
    [
      ['one try', client, 'timeoutMs', 'time'],
      ['tries', client, 'triesMax', ''],
      ['all tries and pauses', client, 'totalMs', 'time'],
    ],
  ],
]

export function limitsPage(): Promise<string> {
  const tables = sections.map(([title, lines]) => {
    const rows = lines.map(([what, bounds, name, unit]) => [
      what,
      valueText(bounds[name], unit),
      `\`${name}\``,
    ])
    return `## ${title}\n\n${table(['what', 'bound', 'in the code'], rows)}`
  })
  return page(`# Limits

${made('the files limits.ts, each bound with its reason')}

Amounts are bounded by settings of the deployment: \`AMOUNT_MAX\`, \`TOPUP_MIN\`,
\`TOPUP_MAX\`, \`TOPUP_DAY_MAX\` ([.env.example](../../.env.example)).

${tables.join('\n\n')}
`)
}

function valueText(value: unknown, unit: Unit): string {
  if (typeof value !== 'number') throw new Error('there is no such limit')
  switch (unit) {
    case 'bytes':
      return bytesText(value)
    case 'time':
      return timeText(value / 1_000)
    case 'seconds':
      return timeText(value)
    case 'characters':
    case '':
      return `${value.toLocaleString('en-US')} ${unit}`.trim()
  }
}

function bytesText(bytes: number): string {
  if (bytes % (1024 * 1024) === 0) return `${bytes / 1024 / 1024} MiB`
  if (bytes % 1024 === 0) return `${bytes / 1024} KiB`
  return `${bytes.toLocaleString('en-US')} bytes`
}

function timeText(seconds: number): string {
  if (seconds % 3_600 === 0) return seconds === 3_600 ? '1 hour' : `${seconds / 3_600} hours`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

function made(from: string): string {
  return `Made from ${from}, and kept current by \`test/docs/reference-pages.test.ts\`.`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function page(text: string): Promise<string> {
  return laidOut('page.md', text)
}

export function drawnDocument(): OpenApi {
  return JSON.parse(textOf('docs/reference/openapi.json')) as OpenApi
}
