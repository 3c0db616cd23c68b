/**
 * The entry of the top-up page. Back from a bank's own page the session is not in the address but
 * where bank-return.ts left it; whether it still lives the service says when it is asked.
 */
import { render } from 'preact'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import '../widget/widget.css'
import './topup.css'
import { formatsFor } from '../shared/formats.js'
import { WidgetApi } from '../widget/api.js'
import { HostPort } from '../widget/host-port.js'
import { readOpening } from '../widget/opening.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { readPageData } from '../widget/page-data.js'
import { applyLook, nameDocument } from '../widget/theme.js'
import { say } from '../words/say.js'
import { loadSpeech } from '../words/speech.js'
import { takeReturn } from './bank-return.js'
import { TopUpPage } from './top-up-page.js'

const place = document.getElementById('app')
if (place !== null) open(place)

function open(place: HTMLElement): void {
  const served = readPageData()
  const returning = takeReturn()
  const data: PageData = returning?.session === undefined ? served : { ...served, session: 'live' }
  const opening = readOpening(data.clientId)
  applyLook(data, opening)
  let ask: (amount: number | undefined) => void = () => undefined
  const { hasLoader } = opening
  const whenReady = loadSpeech({ locale: opening.locale, language: data.language })
  const host = new HostPort(data, { onTopUp: (amount) => ask(amount), hasLoader, whenReady })
  const show = () => {
    nameDocument(say('topUp.title'), data)
    host.followHeight(place)
    render(
      <TopUpPage
        api={new WidgetApi(returning?.session ?? opening.session)}
        data={data}
        host={host}
        formats={formatsFor(data.currency)}
        asked={opening.amount}
        returning={returning?.paymentIntentId}
        whenAsked={(listener) => (ask = listener)}
      />,
      place,
    )
  }
  void whenReady.then(show)
}
