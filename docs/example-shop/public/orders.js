// The orders of this person, with their refunds.
import { attempt, byId, call, during, make, moneyMinor, say } from '/shop.js'

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
  if (status === 'refunded') return { class: 'state good', text: '↩ Refunded' }
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
  refund.addEventListener('click', async () => {
    if (!(await isSure(order))) return
    await during(refund, async () => {
      // Draws also after a failure: a refund may be under way then.
      await call(`/api/orders/${order.id}/refund`, {}).finally(draw)
      say(`The money is back: ${moneyMinor(order.amountMinor)} is in your wallet again.`, 'good')
    })
  })
  return [refund]
}

/** A refund cannot be taken back; Escape and the first focus are on what changes nothing. */
function isSure({ title, amountMinor }) {
  const amount = moneyMinor(amountMinor)
  const keep = make('button', { class: 'quiet', text: 'Keep the order', value: 'keep' })
  const refund = make('button', { text: `Refund ${amount}`, value: 'refund' })
  const dialog = make(
    'dialog',
    { 'aria-labelledby': 'question' },
    make(
      'form',
      { method: 'dialog' },
      make('h2', { id: 'question', text: `Refund ${title}?` }),
      make('p', { text: `${amount} goes back to the wallet that paid. The order ends with it.` }),
      make('div', { class: 'actions' }, keep, refund),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'refund')
    })
  })
}
