// One order: pay it with the wallet. Without a link the wallet's login appears below; with too
// little in the wallet a button tops up exactly what is missing, in a window of the wallet service.
import { attempt, byId, call, during, money, moneyMinor, say, ShopFailure, show } from '/shop.js'
import { mountWallet } from '/wallet-panel.js'

const path = `/api/orders/${new URLSearchParams(location.search).get('order')}`
const pay = byId('pay')
const topUp = byId('top-up')
let wallet
/** In major units; undefined while nothing is missing. */
let shortfall

pay.addEventListener('click', () => during(pay, payOrder))
topUp.addEventListener('click', () => {
  // Within the click: otherwise the browser blocks the window.
  wallet.widget.openTopUp({ amount: shortfall, window: true })
})
// The person comes back from the top-up window; the frame usually was faster to tell.
window.addEventListener('focus', () => attempt(lookAgain))

await attempt(async () => draw(await call(path)))

async function payOrder() {
  try {
    draw(await call(`${path}/pay`, {}))
    say('Thank you. Your order is paid.', 'good')
    show(byId('connect'), false)
  } catch (error) {
    if (!(error instanceof ShopFailure)) throw error
    const { code, body } = error
    if (code === 'INSUFFICIENT_BALANCE') return askForTopUp(body.shortfall)
    if (code === 'ACCOUNT_NOT_LINKED' || body.requiresAuth) return askForLogin()
    if (code === 'PAYMENT_PENDING') pay.textContent = 'Check again'
    throw error
  }
}

function askForTopUp(missing, { pendingTopUps = [], lead = '' } = {}) {
  shortfall = missing
  // Nobody should pay twice for what the bank is still at.
  const onTheirWay = pendingTopUps.map(({ amount }) => money(amount)).join(' and ')
  say(
    onTheirWay === ''
      ? `${lead}Your wallet lacks ${money(missing)} for this order. No money was taken.`
      : `${lead}Your bank is processing your top-up of ${onTheirWay}. You can pay when it is there.`,
  )
  topUp.textContent = `Top up ${money(missing)}`
  show(topUp, true)
  show(pay, false)
  showWallet()
}

function askForLogin() {
  say('Connect your wallet to pay: log in or sign up below. No money was taken.')
  show(pay, false)
  showWallet()
}

function showWallet() {
  show(byId('connect'), true)
  wallet ??= mountWallet(byId('wallet'), { onLink, onUpdated: () => attempt(lookAgain) })
}

async function onLink(isLinked) {
  shortfall = undefined
  show(topUp, false)
  show(pay, isLinked)
  if (!isLinked) return say('Connect a wallet to pay: log in or sign up below.')
  say('Your wallet is connected. You can pay.', 'good')
  // What is missing is said at once, not after a click that could only be declined.
  const { isEnough, missing, pendingTopUps } = await lookAtWallet()
  if (!isEnough) askForTopUp(missing, { pendingTopUps, lead: 'Your wallet is connected. ' })
}

/** Back to the checkout as soon as the money is there. */
async function lookAgain() {
  if (shortfall === undefined) return
  const { balance, isEnough, missing, pendingTopUps } = await lookAtWallet()
  if (shortfall === undefined) return
  if (!isEnough) return askForTopUp(missing, { pendingTopUps })
  shortfall = undefined
  say(`Your wallet now holds ${money(balance)}. You can pay.`, 'good')
  show(topUp, false)
  show(pay, true)
  pay.focus()
}

async function lookAtWallet() {
  const answer = await call(`${path}/balance`)
  const { balance, requiredAmount, hasSufficientBalance, pendingTopUps } = answer
  const missing = round(requiredAmount - balance)
  return { balance, missing, isEnough: hasSufficientBalance, pendingTopUps }
}

/** 12.9 − 4.9 is 8.000000000000002 in binary. */
function round(major) {
  return Math.round(major * 10_000) / 10_000
}

function draw({ title, amountMinor, status, isPending }) {
  const words = { open: 'Not paid yet', paid: '✓ Paid with your wallet', refunded: '↩ Refunded' }
  byId('order-title').textContent = title
  byId('order-price').textContent = moneyMinor(amountMinor)
  byId('order-state').textContent = isPending ? '◌ The payment is being checked' : words[status]
  byId('order-state').classList.toggle('good', status !== 'open')
  pay.textContent = isPending ? 'Check again' : `Pay ${moneyMinor(amountMinor)} with wallet`
  show(pay, status === 'open')
  show(byId('to-orders'), status !== 'open')
}
