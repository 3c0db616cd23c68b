/**
 * The wish to save the card that pays, with the password. Promises: the service is asked before the
 * payment, and what it refuses stands beside the field, with nothing paid; without the wish nothing
 * is saved, also when it was there at an earlier try.
 * States: no wish ⇄ wished → told to the service (for one intent).
 */
import { useId, useRef, useState } from 'preact/hooks'
import { PasswordField } from '../shared/field.js'
import { asFailure, type WidgetApi } from '../widget/api.js'
import { say } from '../words/say.js'
import type { Intent } from './top-up-flow.js'

export function useSaving(api: WidgetApi) {
  const [isWished, setWished] = useState(false)
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const toldFor = useRef<string>()
  const tell = async (path: string, body: object): Promise<boolean> => {
    try {
      await api.call('POST', `/api/widget/account/cards/${path}`, { body })
      return true
    } catch (failure) {
      setError(asFailure(failure).message)
      return false
    }
  }
  return {
    isWished,
    password,
    error,
    setWished: (wished: boolean) => {
      setError(undefined)
      setWished(wished)
    },
    setPassword: (text: string) => {
      setError(undefined)
      setPassword(text)
    },
    /** False: something is missing, and says so. */
    check: (): boolean => {
      const isMissing = isWished && password === ''
      setError(isMissing ? say('signIn.needsPassword') : undefined)
      return !isMissing
    },
    /** False: the service refused; nothing may be paid yet. */
    prepare: async ({ paymentIntentId }: Intent): Promise<boolean> => {
      const isTold = toldFor.current === paymentIntentId
      if (isWished === isTold) return true
      const done = isWished
        ? await tell('save', { paymentIntentId, password })
        : await tell('unsave', { paymentIntentId })
      if (done) toldFor.current = isWished ? paymentIntentId : undefined
      return done
    },
  }
}

export type Saving = ReturnType<typeof useSaving>

export function SaveChoice({ saving }: { saving: Saving }) {
  const id = useId()
  return (
    <div class="save-choice">
      <label class="save-choice-wish" for={id}>
        <input
          id={id}
          type="checkbox"
          checked={saving.isWished}
          onChange={(event) => saving.setWished(event.currentTarget.checked)}
        />
        <span>{say('saved.save')}</span>
      </label>
      {saving.isWished && (
        <PasswordField
          label={say('account.yourPassword')}
          hint={say('saved.saveMeans')}
          value={saving.password}
          autocomplete="current-password"
          error={saving.error}
          onValue={saving.setPassword}
        />
      )}
    </div>
  )
}
