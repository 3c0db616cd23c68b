/**
 * The apps that may see and use the wallet, and those that may no more. Unlinking says what it
 * means and asks first; the app of this page ends the page with it.
 */
import type { Account } from '../../../src/http/schemas/answers/account.js'
import { Moment } from '../shared/moment.js'
import { say } from '../words/say.js'
import { AskFirst } from './ask-first.js'
import type { PartProps } from './part-props.js'
import { useSending } from './use-sending.js'

type App = Account['apps'][number]

export interface AppsCardProps extends PartProps {
  readonly account: Account
  readonly onUnlinkedHere: () => void
}

export function AppsCard({ account, ...parts }: AppsCardProps) {
  return (
    <section class="card" aria-labelledby="apps-title">
      <h2 id="apps-title">{say('account.apps')}</h2>
      <p class="quiet">{say('account.appsMean')}</p>
      <ul class="account-list">
        {account.apps.map((app) => (
          <li key={app.clientId}>
            <AppRow app={app} {...parts} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function AppRow({
  app,
  person,
  onChanged,
  onUnlinkedHere,
}: Omit<AppsCardProps, 'account'> & { readonly app: App }) {
  const form = useSending({
    send: async () => {
      const body = { clientId: app.clientId }
      await person.call('POST', '/api/widget/account/unlink', { body })
      if (app.isThis) onUnlinkedHere()
      else onChanged()
    },
  })
  return (
    <>
      <div>
        <p class="account-row-title">{app.name}</p>
        <p class="quiet small">
          {!app.isLinked && `${say('account.unlinked')} · `}
          <Moment at={app.since} />
        </p>
      </div>
      {app.isLinked && (
        <AskFirst
          label={say('account.unlink')}
          question={say('account.unlinkAsk', { app: app.name })}
          form={form}
        />
      )}
    </>
  )
}
