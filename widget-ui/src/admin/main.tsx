/** The admin area's entry: styles, then the app into the page. */
import { render } from 'preact'
import '../words/english-only.js'
import '../shared/tokens.css'
import '../shared/base.css'
import '../shared/controls.css'
import './admin.css'
import { AdminApp } from './admin-app.js'

const place = document.getElementById('app')
if (place !== null) render(<AdminApp />, place)
