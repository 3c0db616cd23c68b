/**
 * Confirming an email with the link that was mailed to it. The token stands behind the # of the
 * address: it reaches no server log. Every end says what it means and what to do next.
 * States: asking (at once, the link itself is the act) → confirmed, changed, unusable or failed.
 */
import { useEffect, useState } from 'preact/hooks'
import type { ProvenEmail } from '../../../src/http/schemas/answers/account.js'
import { Notice } from '../shared/notice.js'
import { asFailure, WidgetApi } from '../widget/api.js'
import { ServiceFoot } from '../widget/service-foot.js'
import { say } from '../words/say.js'
import type { ResetPageProps } from './reset-page.js'

type State = ProvenEmail['state'] | 'asking' | 'unusable'

export function ConfirmPage({ token, service }: ResetPageProps) {
  const [state, setState] = useState<State>(token === '' ? 'unusable' : 'asking')
  const [failure, setFailure] = useState<string>()
  const send = async (): Promise<void> => {
    setFailure(undefined)
    try {
      const body = { token }
      const path = '/api/widget/auth/confirm-email'
      setState((await new WidgetApi(undefined).call<ProvenEmail>('POST', path, { body })).state)
    } catch (error) {
      const { code, message } = asFailure(error)
      if (code === 'INVALID_EMAIL_TOKEN') setState('unusable')
      else setFailure(message)
    }
  }
  useEffect(() => {
    if (state === 'asking') void send()
  }, [])
  return (
    <main class="reset">
      <div class="card">
        <h1>{say('confirm.title')}</h1>
        {state === 'asking' && failure === undefined && (
          <p class="quiet" role="status">
            {say('confirm.wait')}
          </p>
        )}
        {failure !== undefined && (
          <Notice kind="danger" action={{ label: say('act.tryAgain'), run: () => void send() }}>
            {failure}
          </Notice>
        )}
        {state === 'unusable' && <Notice kind="danger">{say('confirm.unusable')}</Notice>}
        {(state === 'confirmed' || state === 'changed') && (
          <Notice kind="good">{say(`confirm.${state}`)}</Notice>
        )}
        <ServiceFoot data={{ service, brand: null }} />
      </div>
    </main>
  )
}
