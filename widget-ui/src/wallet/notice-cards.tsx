/**
 * The cards that stand where no wallet can be shown: the session has ended, or the page belongs to
 * no client app. Each says what happened, that no money moved, and the one next step.
 */
import { Button } from '../shared/button.js'
import { Icon } from '../shared/icon.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'

export interface ExpiredCardProps {
  readonly brand: string
  /** False where the page belongs to no app that a login could be for. */
  readonly mayLogIn: boolean
  readonly onLogIn: () => void
}

export function ExpiredCard({ brand, mayLogIn, onLogIn }: ExpiredCardProps) {
  return (
    <main class="page">
      <div class="card" role="alert">
        <h1 class="card-title">
          <Icon name="info" />
          Your wallet session has ended
        </h1>
        <p>
          It ends after five minutes to keep your wallet safe. No money has moved.{' '}
          {mayLogIn
            ? `Log in here to go on, or load the page of ${brand} again.`
            : 'Load the page of the shop again to go on.'}
        </p>
        {mayLogIn && (
          <div>
            <Button kind="primary" onClick={onLogIn}>
              Log in here
            </Button>
          </div>
        )}
      </div>
    </main>
  )
}

export function ProblemCard({ data }: { data: Pick<PageData, 'problem' | 'brand'> }) {
  return (
    <main class="page">
      <div class="card">
        <h1 class="card-title">
          <Icon name="alert" />
          {data.problem === 'APP_INACTIVE' ? 'This wallet is switched off here' : 'No shop named'}
        </h1>
        {data.problem === 'APP_INACTIVE' ? <Inactive brand={data.brand} /> : <Unknown />}
      </div>
    </main>
  )
}

function Inactive({ brand }: { brand: string | null }) {
  return (
    <p>
      {brand ?? 'This shop'} cannot use the wallet at the moment. Your money is safe and no money
      has moved. Ask {brand ?? 'the shop'} when it will be back.
    </p>
  )
}

function Unknown() {
  return (
    <>
      <p>
        This wallet page was opened without the shop it belongs to, so nobody can log in here. No
        money has moved. Go back to the shop and open your wallet from there.
      </p>
      <p class="quiet small">
        For the people who build the shop: the address needs the clientId of a registered client
        app, such as <code>/widget/wallet?clientId=…</code>. The{' '}
        <a href="/widget/doctor" target="_blank" rel="noopener">
          widget doctor
        </a>{' '}
        tells what else is missing.
      </p>
    </>
  )
}
