/** English: every key there is, and what each text takes. */
import { account } from './account.js'
import { cards } from './cards.js'
import { reset } from './reset.js'
import { shared } from './shared.js'
import { signIn } from './sign-in.js'
import { topUp } from './top-up.js'
import { wallet } from './wallet.js'

export const english = {
  ...shared,
  ...signIn,
  ...wallet,
  ...topUp,
  ...reset,
  ...account,
  ...cards,
} as const
