/** The entry of the page that a reset link opens. */
import { render } from 'preact'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import './reset.css'
import { say } from '../words/say.js'
import { loadSpeech } from '../words/speech.js'
import { ResetPage } from './reset-page.js'

const place = document.getElementById('app')
const token = location.hash.slice(1)
if (place !== null)
  void loadSpeech({}).then(() => {
    document.title = say('reset.title')
    render(<ResetPage token={token} />, place)
  })
