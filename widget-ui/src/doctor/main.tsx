/**
 * The entry of the widget doctor: in a frame it looks around, in a tab of its own it asks. It is
 * for integrators and speaks English, also where it shows what people's pages share with it.
 */
import { render } from 'preact'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import '../widget/widget.css'
import './doctor.css'
import { isFramed } from '../widget/messages.js'
import { readOpening } from '../widget/opening.js'
import { applyLook } from '../widget/theme.js'
import { loadSpeech } from '../words/speech.js'
import { FormDoctor } from './form-doctor.js'
import { FrameDoctor } from './frame-doctor.js'

const place = document.getElementById('app')
const clientId = new URLSearchParams(location.search).get('clientId') ?? ''
const opening = readOpening(null)
applyLook({ accent: null }, opening)
const given = { clientId, session: opening.session ?? '' }
await loadSpeech({ locale: 'en' })
if (place !== null) {
  place.textContent = ''
  render(isFramed() ? <FrameDoctor {...given} /> : <FormDoctor {...given} />, place)
}
