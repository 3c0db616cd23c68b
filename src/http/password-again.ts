/**
 * The password asked for again, by whoever has a session already. Promises: counted, delayed and
 * refused as a login is, so that a session is no better place to guess; a wrong one is
 * WRONG_PASSWORD and leaves everything as it was.
 */
import type { Account, Accounts } from '../identity/accounts.js'
import { ApiError } from './errors.js'
import { tryLogin, type LoginParts } from './login-tries.js'

export interface PasswordParts extends LoginParts {
  readonly accounts: Accounts
}

export async function askPasswordAgain(
  parts: PasswordParts,
  of: { readonly serviceUserId: string; readonly ip: string; readonly password: string },
): Promise<Account> {
  const { serviceUserId, ip, password } = of
  const account = await parts.accounts.find(serviceUserId)
  // Who has none was made without: no password is theirs.
  if (account?.email === undefined) throw new ApiError('WRONG_PASSWORD')
  const { email } = account
  const check = async () =>
    (await parts.accounts.isPassword(serviceUserId, password)) ? account : undefined
  try {
    return await tryLogin(parts, { area: 'widget', email, ip }, check)
  } catch (error) {
    const isWrong = error instanceof ApiError && error.code === 'INVALID_LOGIN'
    throw isWrong ? new ApiError('WRONG_PASSWORD') : error
  }
}
