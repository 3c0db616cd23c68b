/** French: every text that people read on the pages. */
import type { Catalog } from '../catalog.js'
import { account } from './account.js'
import { cards } from './cards.js'
import { reset } from './reset.js'
import { shared } from './shared.js'
import { signIn } from './sign-in.js'
import { topUp } from './top-up.js'
import { wallet } from './wallet.js'

export const french: Catalog = {
  ...shared,
  ...signIn,
  ...wallet,
  ...topUp,
  ...reset,
  ...account,
  ...cards,
}
