/** The entry of the page that a reset link opens. */
import { render } from 'preact'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import './reset.css'
import { ResetPage } from './reset-page.js'

const place = document.getElementById('app')
if (place !== null) render(<ResetPage token={location.hash.slice(1)} />, place)
