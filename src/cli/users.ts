/**
 * `users`: make people's accounts, help them back in, take a client app's right to act on one
 * away, and erase them.
 * Promises: an erasure names what it destroys and is begun only when the id is given twice.
 * Never: shows a password or a key.
 */
import type { Command } from 'commander'
import type { Identity } from '../compose/parts.js'
import { publicOrigin } from '../config.js'
import { AccountExistsError } from '../identity/users.js'
import type { UserDetails } from '../identity/users.js'
import { resetTokenMs } from '../limits.js'
import { systemClock } from '../platform/clock.js'
import { findClientApp, printable, recorded, serviceOrigin, withIdentity } from './identity.js'
import { CommandError, environmentOption, notice } from './terminal.js'
import { print, printEnvironment, printJson } from './terminal.js'

export function registerUsers(program: Command): void {
  const users = program.command('users').description("make, help and erase people's accounts")
  users
    .command('create')
    .description('make an account with its wallet; prints serviceUserId and walletId')
    .option('--email <email>', 'to log in with')
    .option('--password <password>', 'left out: they choose one by users reset-password')
    .option('--first-name <name>', 'shown in the widget')
    .option('--last-name <name>', 'shown in the widget')
    .option('--link <clientId>', 'the client app that may act on the wallet')
    .option('--json', 'print the result as JSON')
    .addOption(environmentOption('WALLET_USER_ID'))
    .action(create)
  users
    .command('reset-password <serviceUserIdOrEmail>')
    .description('print a link by which the person chooses a new password, once')
    .option('--json', 'print the result as JSON')
    .action(resetPassword)
  users
    .command('unlink <serviceUserId> <clientId>')
    .description('the client app may no longer act on this wallet, until the person logs in there')
    .option('--json', 'print the result as JSON')
    .action(unlink)
  users
    .command('erase <serviceUserId>')
    .description("destroy a person's names, email, password and texts; the ledger stays")
    .option('--yes <serviceUserId>', 'the same id again: there is no way back')
    .option('--json', 'print the result as JSON')
    .action(erase)
}

interface CreateOptions {
  readonly email?: string
  readonly password?: string
  readonly firstName?: string
  readonly lastName?: string
  readonly link?: string
  readonly json?: true
  readonly env?: true
}

async function create(options: CreateOptions): Promise<void> {
  const { email, password, firstName, lastName, link: clientId } = options
  if (password !== undefined && email === undefined)
    throw new CommandError('A password without an email opens nothing.', 'Give --email too.')
  await withIdentity(async ({ identity }) => {
    if (clientId !== undefined) await findClientApp(identity, clientId)
    const act = { action: 'user.create', subject: null, details: { linked: clientId ?? null } }
    const { serviceUserId, walletId } = await recorded(
      identity,
      act,
      () =>
        identity.users
          .create({ email, password, firstName, lastName, clientId })
          .catch((error: unknown) => {
            if (!(error instanceof AccountExistsError)) throw error
            throw new CommandError(
              'There is an account with this email already.',
              'Choose another --email, or: npm run -s wallet -- users reset-password <email>',
            )
          }),
      (user) => user.serviceUserId,
    )
    if (options.json) printJson({ serviceUserId, walletId })
    else if (options.env) printEnvironment({ WALLET_USER_ID: serviceUserId })
    else print(`  serviceUserId  ${serviceUserId}\n  walletId       ${walletId}`)
  })
}

async function resetPassword(who: string, { json }: { readonly json?: true }): Promise<void> {
  await withIdentity(async ({ identity, config, pool }) => {
    const user = await findUser(identity, who)
    const { serviceUserId } = user
    if (user.isErased || user.email === undefined)
      throw new CommandError(
        user.isErased ? 'This account is erased.' : 'This account has no email to log in with.',
        'Nobody can log in to it any more; the person may sign up anew.',
      )
    const act = { action: 'user.reset-password', subject: serviceUserId }
    const token = await recorded(identity, act, () =>
      identity.users.createResetToken(serviceUserId),
    )
    const known = await serviceOrigin(config, pool)
    const origin = known ?? publicOrigin(config.publicUrl, config.listen.port)
    const link = `${origin}/widget/reset#${token}`
    const expiresAt = new Date(systemClock.now() + resetTokenMs).toISOString()
    if (json) printJson({ serviceUserId, link, expiresAt })
    else print(`${link}\n\nIt works once, until ${expiresAt}. Give it to nobody but this person.`)
    if (!json && known === undefined)
      notice(
        'It leads to HOST and PORT as they are set here: set those of the service, or PUBLIC_URL.',
      )
  })
}

async function unlink(
  who: string,
  clientId: string,
  { json }: { readonly json?: true },
): Promise<void> {
  await withIdentity(async ({ identity }) => {
    const { serviceUserId } = await findUser(identity, who)
    await findClientApp(identity, clientId)
    const act = { action: 'user.unlink', subject: serviceUserId, details: { clientId } }
    await recorded(identity, act, () => identity.links.remove(clientId, serviceUserId))
    if (json) printJson({ serviceUserId, clientId, linked: false })
    else
      print('Unlinked: to this client app the person is unknown now, in every process within 2 s.')
  })
}

interface EraseOptions {
  readonly yes?: string
  readonly json?: true
}

async function erase(serviceUserId: string, options: EraseOptions): Promise<void> {
  await withIdentity(async ({ identity }) => {
    const user = await findUser(identity, serviceUserId)
    if (user.serviceUserId !== serviceUserId)
      throw new CommandError('An erasure takes the id, not the email.', 'Give the serviceUserId.')
    if (user.isErased) throw new CommandError('This account is erased already.', 'Nothing to do.')
    if (options.yes === undefined)
      throw new CommandError(
        'This destroys, for ever, the names, email and password of this person and the texts of ' +
          'their entries. The wallet, its balance, amounts and references stay, and every proof.',
        `If that is wanted, run it again with: --yes ${serviceUserId}`,
      )
    if (options.yes !== serviceUserId)
      throw new CommandError('--yes names another user. Nothing was erased.', 'Give one id twice.')
    const act = { action: 'user.erase', subject: serviceUserId }
    await recorded(identity, act, () => identity.users.erase(serviceUserId))
    const { walletId } = user
    if (options.json) printJson({ serviceUserId, walletId, erased: true })
    else print(`Erased. The ledger of wallet ${walletId} is kept, without its texts.`)
  })
}

async function findUser({ users }: Identity, who: string): Promise<UserDetails> {
  const user = who.includes('@') ? await users.findByEmail(who) : await users.find(who)
  if (user !== undefined) return user
  throw new CommandError(
    `There is no user '${printable(who)}'.`,
    'Give a serviceUserId (usr_…) or an email.',
  )
}
