/** The wallet page's entry: the look, the line to the loader, then the app into the page. */
import { render } from 'preact'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import '../widget/widget.css'
import './wallet.css'
import '../account/account.css'
import { WidgetApi } from '../widget/api.js'
import { HostPort } from '../widget/host-port.js'
import { Person } from '../widget/person.js'
import { readOpening } from '../widget/opening.js'
import { readPageData } from '../widget/page-data.js'
import { applyLook, nameDocument } from '../widget/theme.js'
import { say } from '../words/say.js'
import { loadSpeech } from '../words/speech.js'
import { TopUpDoor } from './top-up-door.js'
import { WalletApp } from './wallet-app.js'

const place = document.getElementById('app')
const data = readPageData()
const opening = readOpening(data.clientId)
applyLook(data, opening)
const wishes = { locale: opening.locale, language: data.language }
const speech = loadSpeech(wishes)
const api = new WidgetApi(opening.session)
const person = new Person(api)
const door = new TopUpDoor({ api, data })
// Listening at once: the loader hands its port over when this script has run.
const host = new HostPort(data, { onTopUp: (amount) => door.open(amount), whenReady: speech })
void speech.then(() => {
  nameDocument(say('wallet.title'), data)
  if (place === null) return
  place.textContent = ''
  render(<WalletApp {...{ data, api, person, host, door, wishes }} />, place)
  host.followHeight(place)
})
