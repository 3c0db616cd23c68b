/**
 * `client-apps`: register client apps and look after their secrets. A secret is printed once, by
 * the command that made it, and is known nowhere afterwards.
 * Promises: what is changed here holds on every running instance within two seconds.
 */
import type { Command } from 'commander'
import { scopes as allScopes } from '../identity/client-app-rules.js'
import type { ClientAppDetails, MadeSecret, Scope } from '../identity/client-apps.js'
import { liveSecretsMax } from '../limits.js'
import { collect, findClientApp, likelyOrigin, printable } from './identity.js'
import { recorded, withIdentity } from './identity.js'
import { CommandError, environmentOption, print, printEnvironment, printJson } from './terminal.js'

export function registerClientApps(program: Command): void {
  const clientApps = program.command('client-apps').description('register and manage client apps')
  clientApps
    .command('create')
    .description('register a client app; prints its clientId and its clientSecret, once')
    .requiredOption('--name <name>', 'what people see')
    .option('--origin <origin>', 'a frontend origin of the app, may be repeated', collect)
    .option('--iframe-parent <origin>', 'an origin that may embed the widget, repeatable', collect)
    .option('--scope <scope>', `${allScopes.join(' or ')}, repeatable; both if left out`, collect)
    .option('--brand-name <name>', 'what the widget calls the app; its name if left out')
    .option('--accent-color <color>', "the widget's colour for this app, such as #1a7f5a")
    .option('--json', 'print the result as JSON')
    .addOption(environmentOption('WALLET_URL, WALLET_CLIENT_ID and WALLET_CLIENT_SECRET'))
    .action(create)
  clientApps
    .command('list')
    .description('every client app, with its origins, scopes and live secrets')
    .option('--json', 'print them as JSON')
    .action(list)
  clientApps
    .command('rotate <clientId>')
    .description('make a second secret; the first one works until it is revoked')
    .option('--json', 'print the result as JSON')
    .action(rotate)
  clientApps
    .command('revoke <clientId> <secretId>')
    .description('end one secret; whoever still uses it gets 401')
    .option('--json', 'print the result as JSON')
    .action(revoke)
  for (const verb of ['activate', 'deactivate'] as const)
    clientApps
      .command(`${verb} <clientId>`)
      .description(
        verb === 'activate'
          ? 'accept its credentials again'
          : 'refuse its credentials and sessions',
      )
      .option('--json', 'print the result as JSON')
      .action((clientId: string, options: JsonOption) => setActive(verb, clientId, options))
}

interface JsonOption {
  readonly json?: true
}

interface CreateOptions extends JsonOption {
  readonly name: string
  readonly origin?: readonly string[]
  readonly iframeParent?: readonly string[]
  readonly scope?: readonly string[]
  readonly brandName?: string
  readonly accentColor?: string
  readonly env?: true
}

async function create(options: CreateOptions): Promise<void> {
  const input = {
    name: options.name,
    allowedOrigins: options.origin ?? [],
    allowedIframeParents: options.iframeParent ?? [],
    scopes: (options.scope ?? allScopes).map(scopeOf),
    brandName: options.brandName ?? null,
    accentColor: options.accentColor ?? null,
  }
  await withIdentity(async ({ identity, config, pool }) => {
    const act = { action: 'client-app.create', subject: null, details: { ...input } }
    const made = await recorded(
      identity,
      act,
      () => identity.clientApps.create(input),
      ({ clientApp }) => clientApp.clientId,
    )
    if (options.json) printJson({ ...made.clientApp, clientSecret: made.clientSecret })
    else if (options.env)
      printEnvironment({
        WALLET_URL: await likelyOrigin(config, pool),
        WALLET_CLIENT_ID: made.clientApp.clientId,
        WALLET_CLIENT_SECRET: made.clientSecret,
      })
    else print(`${describe(made.clientApp)}\n\n${describeSecret(made)}`)
  })
}

async function list({ json }: JsonOption): Promise<void> {
  await withIdentity(
    async ({ identity }) => {
      const clientApps = await identity.clientApps.list()
      if (json) printJson(clientApps)
      else if (clientApps.length === 0)
        print('No client app yet. Next: npm run -s wallet -- client-apps create --name <name>')
      else print(clientApps.map(describe).join('\n\n'))
    },
    { mayMake: false },
  )
}

async function rotate(clientId: string, { json }: JsonOption): Promise<void> {
  await withIdentity(async ({ identity }) => {
    const { secrets } = await findClientApp(identity, clientId)
    const act = { action: 'client-app.rotate', subject: clientId }
    const made = await recorded(identity, act, async () => {
      if (secrets.length >= liveSecretsMax)
        throw new CommandError(
          `${clientId} has ${liveSecretsMax} live secrets already: ${idsOf(secrets)}.`,
          `Revoke one first: npm run -s wallet -- client-apps revoke ${clientId} <secretId>`,
        )
      return identity.clientApps.rotate(clientId)
    })
    if (made === undefined) throw gone(clientId)
    if (json) printJson({ ...made.clientApp, clientSecret: made.clientSecret })
    else {
      const old = secrets.map(
        ({ secretId }) => `Then: npm run -s wallet -- client-apps revoke ${clientId} ${secretId}`,
      )
      print([describeSecret(made), 'The secret of before still works.', ...old].join('\n'))
    }
  })
}

async function revoke(clientId: string, secretId: string, { json }: JsonOption): Promise<void> {
  await withIdentity(async ({ identity }) => {
    const { secrets } = await findClientApp(identity, clientId)
    if (!secrets.some((secret) => secret.secretId === secretId))
      throw new CommandError(
        `${clientId} has no live secret '${printable(secretId)}'.`,
        `Its live secrets: ${idsOf(secrets)}.`,
      )
    const act = { action: 'client-app.revoke', subject: clientId, details: { secretId } }
    const clientApp = await recorded(identity, act, () =>
      identity.clientApps.revoke(clientId, secretId),
    )
    if (clientApp === undefined) throw gone(clientId)
    if (json) printJson(clientApp)
    else
      print(
        clientApp.secrets.length > 0
          ? `Revoked. Still live: ${idsOf(clientApp.secrets)}.`
          : 'Revoked. It has no live secret now: rotate makes one.',
      )
  })
}

async function setActive(
  verb: 'activate' | 'deactivate',
  clientId: string,
  { json }: JsonOption,
): Promise<void> {
  await withIdentity(async ({ identity }) => {
    await findClientApp(identity, clientId)
    const act = { action: `client-app.${verb}`, subject: clientId }
    const clientApp = await recorded(identity, act, () =>
      identity.clientApps.setActive(clientId, verb === 'activate'),
    )
    if (clientApp === undefined) throw gone(clientId)
    if (json) printJson(clientApp)
    else print(`${clientId} is ${clientApp.isActive ? 'active' : 'inactive'}.`)
  })
}

function scopeOf(text: string): Scope {
  const scope = allScopes.find((known) => known === text)
  if (scope !== undefined) return scope
  throw new CommandError(
    `'${printable(text)}' is no scope.`,
    `The scopes are ${allScopes.join(' and ')}.`,
  )
}

/** It was there a moment ago: somebody else is at work. */
function gone(clientId: string): CommandError {
  return new CommandError(`${clientId} has just been removed.`, 'Look again: client-apps list')
}

function describe(clientApp: ClientAppDetails): string {
  const { secrets } = clientApp
  const rows = [
    ['clientId', clientApp.clientId],
    ['status', clientApp.isActive ? 'active' : 'inactive'],
    ['scopes', clientApp.scopes.join(', ')],
    ['origins', clientApp.allowedOrigins.join(', ') || 'none'],
    ['iframe parents', clientApp.allowedIframeParents.join(', ') || 'none'],
    ['brand', printable(clientApp.brandName ?? 'its name')],
    ['accent', clientApp.accentColor ?? 'the standard one'],
    ...secrets.map(({ secretId, createdAt, lastUsedAt }) => [
      'secret id',
      `${secretId}, made ${createdAt}, last used ${lastUsedAt ?? 'never'}`,
    ]),
  ]
  const lines = rows.map(([label = '', value = '']) => `  ${label.padEnd(15)} ${value}`)
  return [printable(clientApp.name), ...lines].join('\n')
}

function describeSecret({ clientSecret }: MadeSecret): string {
  const warning = "It is shown only now, and is for the app's backend only."
  return `  clientSecret    ${clientSecret}\n\n${warning}`
}

function idsOf(secrets: ClientAppDetails['secrets']): string {
  return secrets.map(({ secretId }) => secretId).join(', ') || 'none'
}
