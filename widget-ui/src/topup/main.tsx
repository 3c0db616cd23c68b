/**
 * The entry of the top-up page. What Stripe adds to the address on the way back from a bank is read
 * and removed with the session: neither stays in the history.
 */
import { render } from 'preact'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import './topup.css'
import { formatsFor } from '../shared/formats.js'
import { WidgetApi } from '../widget/api.js'
import { HostPort } from '../widget/host-port.js'
import { readOpening } from '../widget/opening.js'
import { readPageData } from '../widget/page-data.js'
import { applyLook } from '../widget/theme.js'
import { TopUpPage } from './top-up-page.js'

const place = document.getElementById('app')
if (place !== null) open(place)

function open(place: HTMLElement): void {
  const data = readPageData()
  const returning = takeReturn()
  const opening = readOpening(data.clientId)
  applyLook(data, opening)
  let ask: (amount: number | undefined) => void = () => undefined
  const host = new HostPort(data, (amount) => ask(amount))
  host.followHeight(place)
  render(
    <TopUpPage
      api={new WidgetApi(opening.session)}
      data={data}
      host={host}
      formats={formatsFor(data.currency)}
      asked={opening.amount}
      returning={returning}
      whenAsked={(listener) => (ask = listener)}
    />,
    place,
  )
}

function takeReturn(): string | undefined {
  const address = new URL(location.href)
  const returning = address.searchParams.get('payment_intent') ?? undefined
  if (returning === undefined) return undefined
  for (const name of [...address.searchParams.keys()])
    if (name.startsWith('payment_intent') || name === 'redirect_status')
      address.searchParams.delete(name)
  history.replaceState(null, '', address)
  return returning
}
