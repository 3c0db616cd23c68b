/** The entry of the page that a link in a mail opens: for a new password, or for an email. */
import { render } from 'preact'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import '../widget/widget.css'
import './reset.css'
import { readPageData } from '../widget/page-data.js'
import { say } from '../words/say.js'
import { loadSpeech } from '../words/speech.js'
import { ConfirmPage } from './confirm-page.js'
import { ResetPage } from './reset-page.js'

const place = document.getElementById('app')
const token = location.hash.slice(1)
const isConfirming = location.pathname === '/widget/confirm'
if (place !== null)
  void loadSpeech({}).then(() => {
    const { service } = readPageData()
    document.title = say(isConfirming ? 'confirm.title' : 'reset.title')
    const page = { token, service }
    render(isConfirming ? <ConfirmPage {...page} /> : <ResetPage {...page} />, place)
  })
