/**
 * The language of a person, as they chose it in the wallet's menu: kept for pages on other devices
 * and for mails. Whatever session shows their wallet may change it; no money hangs on it.
 */
import type { PersonLanguages } from '../../identity/person-languages.js'
import type { WidgetSessions } from '../../identity/widget-sessions.js'
import type { App } from '../app.js'
import { checked } from '../contract.js'
import { invalidField } from '../errors.js'
import { chooseLanguageSchema } from '../schemas/widget.js'
import { liveSession } from '../widget-call.js'

export interface WidgetLanguageParts {
  readonly personLanguages: PersonLanguages
  readonly widgetSessions: WidgetSessions
}

export function registerWidgetLanguage(app: App, parts: WidgetLanguageParts): void {
  app.post('/api/widget/language', { schema: chooseLanguageSchema }, async (request) => {
    const { serviceUserId } = await liveSession(parts.widgetSessions, request)
    const { language } = checked(request).body
    if (language === undefined) throw invalidField('language', 'is missing')
    await parts.personLanguages.choose(serviceUserId, language)
    return {}
  })
}
