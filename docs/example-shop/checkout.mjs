/**
 * Orders, and how they are paid and refunded with the wallet. Copy the way references are made.
 * Promises: every attempt is on the disk with its reference before the service hears of it, so that
 * a crash, a time-out or a double click can only repeat it; an attempt without an outcome is
 * repeated with its own reference and its own account; after a decline the next one gets a new
 * reference; a refund goes to the account that paid, whoever is linked by then.
 * States of an order: open → paid → refunded. States of an attempt: sent → applied, declined or
 * refused; `sent` is also what a crash or an unknown outcome leaves behind.
 */
import { randomUUID } from 'node:crypto'
import { WalletError } from 'wallet-service/client'
import { products } from './products.mjs'
import { linkedAccountOf } from './linking.mjs'
import { ShopError } from './shop-error.mjs'

const ordersMax = 100_000

export function createCheckout({ store, wallet, decimals }) {
  /** Orders with a payment or refund under way: whoever asks again waits for the same answer. */
  const underWay = new Map()

  async function placeOrder(user, productId) {
    const product = products.find(({ id }) => id === productId)
    if (product === undefined) throw new ShopError(404, 'NOT_FOUND', 'There is no such product.')
    if (store.orders.length >= ordersMax)
      throw new ShopError(503, 'SHOP_FULL', 'This example shop takes no more orders.')
    const order = {
      id: randomUUID(),
      userId: user.id,
      title: product.title,
      // The price of this moment, in minor units; never one that a browser sends.
      amountMinor: product.priceMinor,
      status: 'open',
      payments: [],
      refunds: [],
      createdAt: new Date().toISOString(),
    }
    store.orders.push(order)
    await store.save()
    return order
  }

  function ordersOf(user) {
    return store.orders.filter(({ userId }) => userId === user.id).reverse()
  }

  function orderOf(user, orderId) {
    const order = store.orders.find(({ id, userId }) => id === orderId && userId === user.id)
    if (order === undefined) throw new ShopError(404, 'NOT_FOUND', 'There is no such order.')
    return order
  }

  function pay(order, user) {
    return once(order, async () => {
      if (order.status !== 'open') return
      const attempt =
        unfinished(order.payments) ??
        addAttempt(order.payments, {
          referenceId: `${order.id}-${order.payments.length + 1}`,
          serviceUserId: linkedAccountOf(user),
        })
      const answer = await settle(attempt, () =>
        wallet.debit({
          serviceUserId: attempt.serviceUserId,
          amount: amountOf(order),
          referenceType: 'ORDER_PAYMENT',
          referenceId: attempt.referenceId,
          description: order.title,
        }),
      )
      if (attempt.state === 'applied') order.status = 'paid'
      await store.save()
      if (order.status !== 'paid') throw paymentProblem(answer)
    })
  }

  function refund(order) {
    return once(order, async () => {
      if (order.status === 'refunded') return
      const payment = order.payments.find(({ state }) => state === 'applied')
      if (payment === undefined)
        throw new ShopError(409, 'NOT_PAID', 'This order was not paid: there is nothing to refund.')
      const attempt =
        unfinished(order.refunds) ??
        addAttempt(order.refunds, {
          referenceId: `${order.id}-refund-${order.refunds.length + 1}`,
          serviceUserId: payment.serviceUserId,
        })
      const answer = await settle(attempt, () =>
        wallet.refund({
          serviceUserId: attempt.serviceUserId,
          amount: amountOf(order),
          referenceType: 'ORDER_REFUND',
          referenceId: attempt.referenceId,
          // With this the service itself refuses to refund more than was paid.
          refundOf: { referenceType: 'ORDER_PAYMENT', referenceId: payment.referenceId },
          description: `Refund: ${order.title}`,
        }),
      )
      if (attempt.state === 'applied') order.status = 'refunded'
      await store.save()
      if (order.status !== 'refunded') throw refundProblem(answer)
    })
  }

  /** Saved as `sent`, asked, saved again by the caller with what became of it. */
  async function settle(attempt, call) {
    const isFirstTry = attempt.state === 'new'
    attempt.state = 'sent'
    await store.save()
    try {
      // Applied or declined: the final word on this reference.
      const answer = await call()
      attempt.state = answer.outcome
      return answer
    } catch (error) {
      if (!(error instanceof WalletError)) throw error
      // A refusal now says nothing about an earlier try that got no answer.
      if (error.isOutcomeUnknown || !isFirstTry) return { outcome: 'unknown' }
      // Refused at its first try: nothing was booked, and nothing has to be repeated.
      attempt.state = 'refused'
      return { outcome: 'refused', code: error.code }
    }
  }

  function once(order, work) {
    const running = underWay.get(order.id)
    if (running !== undefined) return running
    const promise = work().finally(() => underWay.delete(order.id))
    underWay.set(order.id, promise)
    return promise
  }

  /** For the page, after a top-up: is there enough now? It writes nothing, uses no reference. */
  async function balanceFor(order, user) {
    const serviceUserId = linkedAccountOf(user)
    return wallet.checkBalance({ serviceUserId, requiredAmount: amountOf(order) })
  }

  /** After a restart: what was sent and never answered is asked again, with the same references. */
  async function resume() {
    for (const order of store.orders) {
      const user = { id: order.userId }
      if (unfinished(order.payments)) await pay(order, user).catch(() => undefined)
      if (unfinished(order.refunds)) await refund(order).catch(() => undefined)
    }
  }

  /** As a decimal text in major units: whole minor units divided by a power of ten, exactly. */
  function amountOf({ amountMinor }) {
    return (amountMinor / 10 ** decimals).toFixed(decimals)
  }

  return { placeOrder, ordersOf, orderOf, pay, refund, balanceFor, resume }
}

/** What a browser may see of an order: no serviceUserId. */
export function orderView({ id, title, amountMinor, status, payments, refunds, createdAt }) {
  const isPending = unfinished(payments) !== undefined || unfinished(refunds) !== undefined
  return { id, title, amountMinor, status, isPending, createdAt }
}

function unfinished(attempts) {
  return attempts.find(({ state }) => state === 'sent')
}

function addAttempt(attempts, fields) {
  const attempt = { ...fields, state: 'new', createdAt: new Date().toISOString() }
  attempts.push(attempt)
  return attempt
}

function paymentProblem({ outcome, code, shortfall }) {
  if (outcome === 'unknown') {
    const text = 'We do not know yet whether the payment went through. Check again: it pays once.'
    return new ShopError(503, 'PAYMENT_PENDING', text)
  }
  switch (code) {
    case 'INSUFFICIENT_BALANCE':
      return new ShopError(402, code, 'Your wallet does not hold enough. No money was taken.', {
        shortfall,
      })
    case 'WALLET_INACTIVE':
      return new ShopError(403, code, 'Your wallet is not active. No money was taken.')
    case 'USER_NOT_FOUND': {
      const text = 'Your wallet does not know this shop any more. Log in to it again.'
      return new ShopError(409, code, text, { requiresAuth: true })
    }
    default:
      return new ShopError(502, 'PAYMENT_REFUSED', 'The payment was refused. No money was taken.')
  }
}

function refundProblem({ outcome, code }) {
  if (outcome === 'unknown')
    return new ShopError(503, 'REFUND_PENDING', 'The refund is under way. Check again in a moment.')
  if (code === 'WALLET_INACTIVE')
    return new ShopError(403, code, 'The wallet that paid is not active: nothing was refunded yet.')
  return new ShopError(502, 'REFUND_REFUSED', 'The refund was refused; the order is still paid.')
}
