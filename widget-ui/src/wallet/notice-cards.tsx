/**
 * The cards that stand where no wallet can be shown: the session has ended, or the page belongs to
 * no client app. Each says what happened, that no money moved, and the one next step.
 */
import { Button } from '../shared/button.js'
import { Icon } from '../shared/icon.js'
import { say, sayAround } from '../words/say.js'
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
          {say('ended.title')}
        </h1>
        <p>
          {say('ended.why')} {mayLogIn ? say('ended.logInOrLoad', { brand }) : say('ended.load')}
        </p>
        {mayLogIn && (
          <div>
            <Button kind="primary" onClick={onLogIn}>
              {say('ended.logIn')}
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
          {say(data.problem === 'APP_INACTIVE' ? 'problem.off' : 'problem.noShop')}
        </h1>
        {data.problem === 'APP_INACTIVE' ? <Inactive brand={data.brand} /> : <Unknown />}
      </div>
    </main>
  )
}

function Inactive({ brand }: { brand: string | null }) {
  return <p>{say('problem.offMeans', { brand: brand ?? '' })}</p>
}

const address = '/widget/wallet?clientId=…'

function Unknown() {
  return (
    <>
      <p>{say('problem.noShopMeans')}</p>
      <p class="quiet small">
        {sayAround('problem.makers', {
          address: <code>{address}</code>,
          doctor: (
            <a href="/widget/doctor" target="_blank" rel="noopener">
              {say('problem.doctor')}
            </a>
          ),
        })}
      </p>
    </>
  )
}
