/**
 * The types of the client are those of the schemas, field by field: whoever renames a field in a
 * schema sees this file not compile. And the declarations that others read are made of the sources
 * as they are: UPDATE_CLIENT_TYPES=1 npm test -- test/client/types.test.ts
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Static, TSchema } from '@sinclair/typebox'
import t from 'tap'
import ts from 'typescript'
import type * as client from '../../src/client/contract.js'
import type * as answers from '../../src/http/schemas/answers/wallets.js'
import type * as widgetAnswers from '../../src/http/schemas/answers/widget.js'
import type * as bulk from '../../src/http/schemas/server-bulk.js'
import type * as server from '../../src/http/schemas/server-wallet.js'
import type * as widget from '../../src/http/schemas/widget.js'
import { laidOut } from '../support/layout.js'
import { root, textOf } from '../support/repository.js'

type Plain<Value> = Value extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Value extends object
    ? { -readonly [Name in keyof Value]: Plain<Value[Name]> }
    : Value
type Mutual<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false
/** `true` if each is assignable to the other and both name the same fields. */
type Same<One, Other> =
  Mutual<Plain<One>, Plain<Other>> extends true ? Mutual<keyof One, keyof Other> : false

type Credentials = keyof typeof server.clientCredentials
type BodyOf<Schema> = Schema extends { readonly body: infer Body extends TSchema }
  ? Omit<Static<Body>, Credentials>
  : never
type QueryOf<Schema> = Schema extends { readonly querystring: infer Query extends TSchema }
  ? Omit<Static<Query>, Credentials>
  : never
/** The client also takes texts for amounts, and a number for the size of a page. */
type WithNumber<Order> = Omit<Order, 'amount'> & { amount: number }
type Flat<Value> = { [Name in keyof Value]: Value[Name] }
type Known = Extract<Static<typeof answers.outcomeSchema>, { final: true }>

const same: readonly true[] = [
  true satisfies Same<Flat<WithNumber<client.DebitOrder>>, BodyOf<server.DebitSchema>>,
  true satisfies Same<
    Flat<Omit<WithNumber<client.RefundOrder>, 'refundOf'>>,
    Omit<BodyOf<server.CreditSchema>, 'refundOf'>
  >,
  true satisfies Same<Flat<WithNumber<client.HoldOrder>>, BodyOf<server.HoldSchema>>,
  true satisfies Same<
    Flat<Omit<client.CaptureOrder, 'amount'> & { amount?: number }>,
    BodyOf<server.CaptureSchema>
  >,
  true satisfies Same<Flat<client.ReleaseOrder>, BodyOf<typeof server.releaseSchema>>,
  true satisfies Same<client.Reference, NonNullable<BodyOf<server.CreditSchema>['refundOf']>>,
  true satisfies Same<Flat<client.User & client.Reference>, BodyOf<typeof server.voidSchema>>,
  true satisfies Same<
    Flat<client.User & client.Reference>,
    QueryOf<typeof server.outcomeReadSchema>
  >,
  true satisfies Same<keyof client.BalanceQuestion, keyof QueryOf<server.BalanceCheckSchema>>,
  true satisfies Same<
    Flat<Omit<client.WalletQuestion, 'limit'>>,
    Flat<Omit<QueryOf<server.WalletReadSchema>, 'limit'>>
  >,
  true satisfies Same<WithNumber<client.BulkOrder>['verb'], bulk.BulkCommand['verb']>,
  true satisfies Same<keyof client.BulkOrder, keyof bulk.BulkCommand>,
  true satisfies Same<keyof client.BulkResult, keyof answers.BulkResult>,
  true satisfies Same<keyof client.BulkAnswer, keyof answers.BulkAnswer>,
  true satisfies Same<client.LinkProof, BodyOf<typeof server.linkProofSchema>>,
  true satisfies Same<Flat<client.SessionOrder>, BodyOf<typeof widget.createSessionSchema>>,
  true satisfies Same<client.TransactionRecord, Static<typeof answers.transactionRecordSchema>>,
  true satisfies Same<client.Wallet, Static<typeof answers.walletSchema>>,
  true satisfies Same<client.BalanceCheck, Static<typeof answers.balanceCheckSchema>>,
  true satisfies Same<client.AppliedAnswer, Static<typeof answers.appliedSchema>>,
  true satisfies Same<client.DeclineCode, (typeof answers.declineCodes)[number]>,
  true satisfies Same<keyof client.KnownOutcome, keyof Known>,
  true satisfies Same<client.Outcome['outcome'], Static<typeof answers.outcomeSchema>['outcome']>,
  true satisfies Same<client.LinkedUser, Static<typeof answers.linkedUserSchema>>,
  true satisfies Same<client.WidgetSession, Static<typeof widgetAnswers.widgetSessionSchema>>,
]

const folder = 'src/client'
const published = `${folder}/published.d.ts`

t.test('the declarations that others read are those of the sources', async (t) => {
  t.equal(same.length, 25, 'and the types of the contract are those of the schemas')
  const text = await declarations()
  if (process.env['UPDATE_CLIENT_TYPES'] === '1') writeFileSync(join(root, published), text)
  t.ok(textOf(published) === text, 'UPDATE_CLIENT_TYPES=1 npm test -- test/client/types.test.ts')
  t.notMatch(text, /\bimport\b|\bany\b/, 'they need nothing else')
  t.notMatch(text, /@sinclair|node:/)
})

/** All files as one, so that nothing has to be found beside it. */
async function declarations(): Promise<string> {
  const files = ['contract', 'runtime', 'wallet-errors', 'webhooks', 'wallet-client']
  const header =
    '/**\n * The types of `wallet-service/client`, made of the sources beside this file.\n' +
    ' * Never edited: test/client/types.test.ts writes it.\n */\n'
  const parts = files.map((name) => {
    const fileName = `${folder}/${name}.ts`
    const { outputText } = ts.transpileDeclaration(textOf(fileName), {
      fileName,
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    })
    return outputText
      .replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
      .replaceAll(/^(import|export (type )?\*)[\s\S]*?from '.*';\n/gm, '')
      .replaceAll(/^export \{\};\n/gm, '')
      .trim()
  })
  return laidOut(published, header + parts.join('\n'))
}
