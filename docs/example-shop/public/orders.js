// The orders of this person, with their refunds.
import { attempt, byId, call, during, make, moneyMinor } from '/shop.js'

await attempt(draw)

async function draw() {
  const { orders } = await call('/api/orders')
  const empty = make('p', { class: 'card', text: 'No order yet. Choose something to write with.' })
  byId('orders').replaceChildren(...(orders.length === 0 ? [empty] : orders.map(card)))
}

function card(order) {
  const price = make('span', { class: 'price', text: moneyMinor(order.amountMinor) })
  const time = new Date(order.createdAt).toLocaleString([], {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  return make(
    'article',
    { class: 'card' },
    make('div', { class: 'row' }, make('h2', { text: order.title }), price),
    make('p', { class: 'detail', text: time }),
    make('div', { class: 'row' }, make('span', stateOf(order)), ...actionOf(order)),
  )
}

function stateOf({ status, isPending }) {
  if (isPending) return { class: 'state', text: '◌ Being checked' }
  if (status === 'paid') return { class: 'state good', text: '✓ Paid' }
  if (status === 'refunded') return { class: 'state', text: '↩ Refunded' }
  return { class: 'state', text: '○ Not paid' }
}

function actionOf(order) {
  if (order.status === 'open')
    return [
      make('a', { class: 'button', text: 'Go to checkout', href: `/checkout?order=${order.id}` }),
    ]
  if (order.status !== 'paid') return []
  const refund = make('button', {
    class: 'quiet',
    text: 'Refund',
    'aria-label': `Refund ${order.title}`,
  })
  refund.addEventListener('click', () =>
    during(refund, async () => {
      // Draws also after a failure: a refund may be under way then.
      await call(`/api/orders/${order.id}/refund`, {}).finally(draw)
    }),
  )
  return [refund]
}
