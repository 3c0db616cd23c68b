/** Where the person is logged in, and which apps show the wallet right now; each can be ended. */
import type { Account } from '../../../src/http/schemas/answers/account.js'
import { Button } from '../shared/button.js'
import { Moment } from '../shared/moment.js'
import { Badge, Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import type { PartProps } from './part-props.js'
import { useSending } from './use-sending.js'

type Place = Account['sessions'][number]

export function PlacesCard({ account, ...parts }: PartProps & { readonly account: Account }) {
  const { sessions } = account
  return (
    <section class="card" aria-labelledby="places-title">
      <h2 id="places-title">{say('account.places')}</h2>
      <ul class="account-list">
        {sessions.map((place) => (
          <li key={place.loginId}>
            <PlaceRow place={place} {...parts} />
          </li>
        ))}
      </ul>
      {sessions.some(({ isThis }) => !isThis) && <EndButton {...parts} body={{}} isAll />}
    </section>
  )
}

function PlaceRow({ place, ...parts }: PartProps & { readonly place: Place }) {
  const { appName: app, madeBy, device, beganAt, isThis, loginId } = place
  return (
    <>
      <div>
        <p class="account-row-title">
          {say(madeBy === 'login' ? 'account.byYou' : 'account.byApp', { app })}
        </p>
        <p class="quiet small">
          {device !== null && `${device} · `}
          {beganAt !== null && <Moment at={beganAt} />}
        </p>
      </div>
      {isThis ? (
        <Badge kind="good" icon="check">
          {say('account.here')}
        </Badge>
      ) : (
        <EndButton {...parts} body={{ loginId }} />
      )}
    </>
  )
}

interface EndProps extends PartProps {
  readonly body: { readonly loginId?: string }
  readonly isAll?: boolean
}

function EndButton({ person, onChanged, body, isAll = false }: EndProps) {
  const form = useSending({
    send: async () => {
      await person.call('POST', '/api/widget/account/sessions/end', { body })
      onChanged()
    },
  })
  return (
    <div class="actions">
      {form.refusal !== undefined && <Notice kind="danger">{form.refusal}</Notice>}
      <Button isBusy={form.isSending} onClick={() => form.submit()}>
        {say(isAll ? 'account.endOthers' : 'account.end')}
      </Button>
    </div>
  )
}
