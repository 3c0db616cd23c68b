/**
 * A person's own account over HTTP, in one place: coming in, what it says, documents, saved cards,
 * and its end. Everything here but the unlocking and the confirming of an email needs a session
 * that the person made by logging in; no other origin gets an answer a browser would show it
 * (widget-call.ts).
 */
import { DocumentPress } from '../../../audit/documents/document-press.js'
import type { App } from '../../app.js'
import { registerAccess } from './access.js'
import { registerCards } from './cards.js'
import { registerClosing, type ClosingParts } from './closing.js'
import { registerDocuments, type DocumentParts } from './documents.js'
import { registerProfile } from './profile.js'

export type AccountParts = ClosingParts & Omit<DocumentParts, 'press'>

export function registerAccountRoutes(app: App, parts: AccountParts): void {
  registerAccess(app, parts)
  registerProfile(app, parts)
  registerDocuments(app, { ...parts, press: new DocumentPress(parts) })
  registerCards(app, parts)
  registerClosing(app, parts)
}
