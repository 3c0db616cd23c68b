/** The entry of the page that checks an audit bundle. */
import { render } from 'preact'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import './verify.css'
import { VerifyPage } from './verify-page.js'

const place = document.getElementById('app')
if (place !== null) render(<VerifyPage />, place)
