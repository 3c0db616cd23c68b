/** The choice of a language, each by its own name. */
import { useId } from 'preact/hooks'
import { languageNames, languages, type Language } from '../words/languages.js'
import { currentSpeech, say } from '../words/say.js'

export function LanguageField({ onLanguage }: { onLanguage: (language: Language) => void }) {
  const id = useId()
  const choose = (value: string) => {
    const chosen = languages.find((language) => language === value)
    if (chosen !== undefined) onLanguage(chosen)
  }
  return (
    <div class="field language">
      <label for={id}>{say('menu.language')}</label>
      <select
        id={id}
        class="input"
        value={currentSpeech().language}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {languages.map((language) => (
          <option key={language} value={language} lang={language}>
            {languageNames[language]}
          </option>
        ))}
      </select>
    </div>
  )
}
