/**
 * The widget's API in one place: which origins may call it, sign-up and login, sessions, the wallet
 * with its entries and its stream, the doctor. What is registered after it under /api/widget/
 * follows the same rule for other origins. Its pages are widget-pages.ts.
 */
import type { App } from '../app.js'
import { allowWidgetOrigins } from '../widget-call.js'
import { registerWidgetAuth } from './widget-auth.js'
import type { WidgetAuthParts } from './widget-auth.js'
import { registerWidgetDoctor } from './widget-doctor.js'
import type { WidgetDoctorParts } from './widget-doctor.js'
import { registerWidgetEntries } from './widget-entries.js'
import type { WidgetEntriesParts } from './widget-entries.js'
import { registerWidgetLanguage } from './widget-language.js'
import type { WidgetLanguageParts } from './widget-language.js'
import { registerWidgetSession } from './widget-session.js'
import type { WidgetSessionParts } from './widget-session.js'
import { registerWidgetWallet } from './widget-wallet.js'
import type { WidgetWalletParts } from './widget-wallet.js'

export type WidgetParts = WidgetAuthParts &
  WidgetDoctorParts &
  WidgetLanguageParts &
  WidgetSessionParts &
  WidgetEntriesParts &
  WidgetWalletParts

export function registerWidgetRoutes(app: App, parts: WidgetParts): void {
  // First: it sees only what is registered after it.
  allowWidgetOrigins(app, parts)
  registerWidgetAuth(app, parts)
  registerWidgetSession(app, parts)
  registerWidgetWallet(app, parts)
  registerWidgetEntries(app, parts)
  registerWidgetLanguage(app, parts)
  registerWidgetDoctor(app, parts)
}
