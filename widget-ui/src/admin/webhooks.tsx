/**
 * The webhooks of a client app, on its page: its endpoints, a form for a new one, and at which
 * balances it is told. A new signing secret is shown once, here.
 */
import { useState } from 'preact/hooks'
import type { AppWebhooks, WebhookEndpoint } from '../../../src/http/schemas/answers/webhooks.js'
import { announce } from '../shared/announcer.js'
import { Button } from '../shared/button.js'
import { TextField } from '../shared/field.js'
import { Badge, Notice } from '../shared/notice.js'
import { Waiting } from './page.js'
import { Link } from './router.js'
import { SigningSecretPanel } from './secret-panel.js'
import { useSession } from './session.js'
import { WebhookForm } from './webhook-form.js'
import { useAct, useLoaded } from './work.js'
import './webhooks.css'

export function Webhooks({ clientId }: { clientId: string }) {
  const { api } = useSession()
  const loaded = useLoaded(() => api.webhooks(clientId), [api, clientId])
  const [secret, setSecret] = useState<string>()
  if (loaded.value === undefined) return <Waiting loaded={loaded} rows={2} />
  return (
    <>
      {secret !== undefined && (
        <SigningSecretPanel secret={secret} onStored={() => setSecret(undefined)} />
      )}
      <Endpoints
        clientId={clientId}
        webhooks={loaded.value}
        onChanged={loaded.reload}
        onSecret={setSecret}
      />
      {loaded.value.endpoints.some(({ types }) => types.includes('wallet.low_balance')) && (
        <Thresholds clientId={clientId} webhooks={loaded.value} onChanged={loaded.replace} />
      )}
    </>
  )
}

interface EndpointsProps {
  clientId: string
  webhooks: AppWebhooks
  onChanged: () => void
  onSecret: (secret: string) => void
}

function Endpoints({ clientId, webhooks, onChanged, onSecret }: EndpointsProps) {
  const { api, mayAct } = useSession()
  const [isAdding, setAdding] = useState(false)
  const { endpoints, types } = webhooks
  const isFull = endpoints.length >= 5
  return (
    <section class="card" aria-labelledby="webhooks">
      <div class="card-head">
        <h2 id="webhooks">Webhooks</h2>
        {mayAct && !isAdding && !isFull && (
          <Button onClick={() => setAdding(true)}>Add endpoint</Button>
        )}
      </div>
      {endpoints.length === 0 && !isAdding && (
        <p class="quiet">
          This app is told nothing by itself. An endpoint is an address of its backend, which then
          gets a signed request for every event that it asks for.
        </p>
      )}
      {isAdding && (
        <WebhookForm
          types={types}
          action="Add endpoint"
          onSubmit={async (input) => {
            const { secret } = await api.addWebhook(clientId, input)
            setAdding(false)
            onSecret(secret)
            onChanged()
            announce('The endpoint is added.')
          }}
          onCancel={() => setAdding(false)}
        />
      )}
      {endpoints.length > 0 && (
        <ul class="secrets">
          {endpoints.map((endpoint) => (
            <EndpointLine key={endpoint.endpointId} endpoint={endpoint} />
          ))}
        </ul>
      )}
    </section>
  )
}

function EndpointLine({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { endpointId, clientId, url, types } = endpoint
  return (
    <li class="secret-line">
      <div class="endpoint">
        <p class="fixed">
          <Link to={{ page: 'webhook', clientId, endpointId }}>{url}</Link>
        </p>
        <p class="quiet">{types.join(', ')}</p>
      </div>
      <EndpointState endpoint={endpoint} />
    </li>
  )
}

export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  return endpoint.deadSince === null ? (
    <Badge kind="good" icon="check">
      Well
    </Badge>
  ) : (
    <Badge kind="danger" icon="alert">
      Given up
    </Badge>
  )
}

interface ThresholdsProps {
  clientId: string
  webhooks: AppWebhooks
  onChanged: (webhooks: AppWebhooks) => void
}

function Thresholds({ clientId, webhooks, onChanged }: ThresholdsProps) {
  const { api, mayAct } = useSession()
  const [typed, setTyped] = useState(webhooks.lowBalanceThresholds.join(', '))
  const [fault, setFault] = useState<string>()
  const act = useAct()
  const save = (event: Event) => {
    event.preventDefault()
    const amounts = typed.split(/[\s,;]+/).filter((text) => text !== '')
    if (amounts.some((text) => !/^\d{1,12}(\.\d{1,2})?$/.test(text))) {
      setFault('Write amounts such as 50, 12.50, with commas between.')
      return
    }
    act.run(async () => {
      const changed = await api.setThresholds(clientId, amounts.map(Number))
      onChanged(changed)
      setTyped(changed.lowBalanceThresholds.join(', '))
      announce('Low balances are saved.')
    })
  }
  return (
    <section class="card" aria-labelledby="low-balances">
      <h2 id="low-balances">Low balances</h2>
      <form class="form" onSubmit={save} noValidate>
        <TextField
          label="Thresholds"
          name="thresholds"
          hint="The app is told once when a balance falls to one of them. Empty: never."
          value={typed}
          onValue={(value) => {
            setTyped(value)
            setFault(undefined)
            act.forget()
          }}
          error={fault ?? act.failure?.message}
          readOnly={!mayAct}
          inputMode="decimal"
          autocomplete="off"
        />
        {mayAct && (
          <div class="actions">
            <Button type="submit" isBusy={act.isBusy}>
              Save thresholds
            </Button>
          </div>
        )}
      </form>
      {webhooks.lowBalanceThresholds.length === 0 && (
        <Notice kind="info">No threshold: this app is never told of a low balance.</Notice>
      )}
    </section>
  )
}
