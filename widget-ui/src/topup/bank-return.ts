/**
 * The way over a bank's own page. Others learn the address that leads back, so it carries no
 * session: the token waits in this tab's storage under the payment's id, which Stripe adds to the
 * address. Promises: it is removed once read, or when no other page was needed; what Stripe adds
 * does not stay in the history. Where storage is blocked, whoever comes back has no session, and
 * the page says so. Never: lets a fault of the storage stop a payment.
 */
export interface BankReturn {
  readonly paymentIntentId: string
  readonly session: string | undefined
}

/** Pays; should that lead to another page, the session is there afterwards. */
export async function withWayBack<Result>(
  { paymentIntentId, session }: BankReturn,
  pay: () => Promise<Result>,
): Promise<Result> {
  const key = keyOf(paymentIntentId)
  if (session !== undefined) inStorage((storage) => storage.setItem(key, session))
  return pay().finally(() => inStorage((storage) => storage.removeItem(key)))
}

/** Undefined when the page was not opened by a way back. */
export function takeReturn(): BankReturn | undefined {
  const address = new URL(location.href)
  const paymentIntentId = address.searchParams.get('payment_intent')
  if (paymentIntentId === null) return undefined
  for (const name of [...address.searchParams.keys()])
    if (name.startsWith('payment_intent') || name === 'redirect_status')
      address.searchParams.delete(name)
  // A document without an origin (sandboxed without allow-same-origin) may not do this.
  try {
    history.replaceState(null, '', address)
  } catch {
    return { paymentIntentId, session: undefined }
  }
  const key = keyOf(paymentIntentId)
  const session = inStorage((storage) => storage.getItem(key)) ?? undefined
  inStorage((storage) => storage.removeItem(key))
  return { paymentIntentId, session }
}

function keyOf(paymentIntentId: string): string {
  return `top-up ${paymentIntentId}`
}

/** Undefined where the browser blocks it; already naming it throws then. */
function inStorage<Value>(work: (storage: Storage) => Value): Value | undefined {
  try {
    return work(sessionStorage)
  } catch {
    return undefined
  }
}
