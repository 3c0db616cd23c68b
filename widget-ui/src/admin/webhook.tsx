/**
 * One webhook endpoint: where to and of what, its signing secrets, a test event, what was sent. A
 * second secret signs beside the first until one is revoked, so that nothing is refused meanwhile.
 */
import { useState } from 'preact/hooks'
import type { WebhookEndpoint } from '../../../src/http/schemas/answers/webhooks.js'
import { announce } from '../shared/announcer.js'
import { Button } from '../shared/button.js'
import { Dialog } from '../shared/dialog.js'
import { Moment } from '../shared/moment.js'
import { Notice } from '../shared/notice.js'
import { Deliveries } from './deliveries.js'
import { Page, Waiting } from './page.js'
import { goTo } from './router.js'
import { SigningSecretPanel } from './secret-panel.js'
import { useSession } from './session.js'
import { WebhookForm } from './webhook-form.js'
import { EndpointState } from './webhooks.js'
import { useAct, useLoaded } from './work.js'

export function WebhookPage({ clientId, endpointId }: { clientId: string; endpointId: string }) {
  const { api } = useSession()
  const loaded = useLoaded(() => api.webhooks(clientId), [api, clientId])
  const [secret, setSecret] = useState<string>()
  const up = { to: { page: 'client-app', clientId }, name: 'Client app' } as const
  const endpoint = loaded.value?.endpoints.find((each) => each.endpointId === endpointId)
  if (loaded.failure?.code === 'NOT_FOUND' || (loaded.value && endpoint === undefined))
    return (
      <Page title="Unknown webhook endpoint" up={up}>
        <Notice kind="warning">This client app has no such endpoint.</Notice>
      </Page>
    )
  if (loaded.value === undefined || endpoint === undefined)
    return (
      <Page title="Webhook endpoint" up={up}>
        <Waiting loaded={loaded} rows={8} />
      </Page>
    )
  const part = { endpoint, onChanged: loaded.reload }
  return (
    <Page title="Webhook endpoint" up={up}>
      {secret !== undefined && (
        <SigningSecretPanel secret={secret} onStored={() => setSecret(undefined)} />
      )}
      <Settings {...part} types={loaded.value.types} />
      <SigningSecrets {...part} onSecret={setSecret} />
      <Deliveries endpointId={endpointId} />
      <Removal endpoint={endpoint} />
    </Page>
  )
}

interface PartProps {
  endpoint: WebhookEndpoint
  onChanged: () => void
}

function Settings({ endpoint, onChanged, types }: PartProps & { types: readonly string[] }) {
  const { api, mayAct } = useSession()
  const [isEditing, setEditing] = useState(false)
  return (
    <section class="card" aria-labelledby="settings">
      <div class="card-head">
        <h2 id="settings">Settings</h2>
        {mayAct && !isEditing && <Button onClick={() => setEditing(true)}>Edit</Button>}
      </div>
      {isEditing ? (
        <WebhookForm
          types={types}
          endpoint={endpoint}
          action="Save changes"
          onSubmit={async (input) => {
            await api.updateWebhook(endpoint.endpointId, input)
            setEditing(false)
            onChanged()
            announce('The endpoint is saved.')
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <EndpointState endpoint={endpoint} />
          </dd>
          <dt>Address</dt>
          <dd class="fixed">{endpoint.url}</dd>
          <dt>Types</dt>
          <dd>{endpoint.types.join(', ')}</dd>
          <dt>endpointId</dt>
          <dd class="fixed">{endpoint.endpointId}</dd>
          <dt>Added</dt>
          <dd>
            <Moment at={endpoint.createdAt} />
          </dd>
        </dl>
      )}
      {endpoint.deadSince !== null && (
        <Notice kind="warning">
          Deliveries were given up after three days, the first <Moment at={endpoint.deadSince} />.
          New ones are tried all the same; the next that arrives ends this notice.
        </Notice>
      )}
    </section>
  )
}

function SigningSecrets({
  endpoint,
  onChanged,
  onSecret,
}: PartProps & { onSecret: (secret: string) => void }) {
  const { api, mayAct } = useSession()
  const act = useAct()
  const { endpointId, secrets } = endpoint
  const isFull = secrets.length >= 2
  const rotate = () =>
    act.run(async () => {
      onSecret((await api.rotateWebhook(endpointId)).secret)
      onChanged()
      announce('A new signing secret is made. The other one signs too.')
    })
  const revoke = (secretId: string) =>
    act.run(async () => {
      await api.revokeWebhook({ endpointId, secretId })
      onChanged()
      announce('The signing secret is revoked.')
    })
  return (
    <section class="card" aria-labelledby="secrets">
      <div class="card-head">
        <h2 id="secrets">Signing secrets</h2>
        {mayAct && !isFull && (
          <Button isBusy={act.isBusy} onClick={rotate}>
            Rotate secret
          </Button>
        )}
      </div>
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      {isFull && (
        <p class="quiet">
          Both sign every webhook. Revoke the old one once the backend knows the new one.
        </p>
      )}
      <ul class="secrets">
        {secrets.map(({ secretId, createdAt }) => (
          <li key={secretId} class="secret-line">
            <p>
              <strong>
                Made <Moment at={createdAt} />
              </strong>
            </p>
            {mayAct && isFull && (
              <Button kind="danger" isBusy={act.isBusy} onClick={() => revoke(secretId)}>
                Revoke
                <span class="unseen">
                  {' '}
                  the secret made <Moment at={createdAt} />
                </span>
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Removal({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { api, mayAct } = useSession()
  const [isAsking, setAsking] = useState(false)
  const act = useAct()
  if (!mayAct) return null
  const { endpointId, clientId } = endpoint
  const remove = () =>
    act.run(async () => {
      await api.removeWebhook(endpointId)
      announce('The endpoint is removed.')
      goTo({ page: 'client-app', clientId })
    })
  return (
    <section class="card" aria-labelledby="removal">
      <div class="card-head">
        <h2 id="removal">Remove</h2>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Remove endpoint
        </Button>
      </div>
      <p class="quiet">Its deliveries go with it, also those that still wait.</p>
      {isAsking && (
        <Dialog title="Remove this endpoint?" onClose={() => setAsking(false)}>
          <p>
            Nothing is sent to <span class="fixed">{endpoint.url}</span> any more, and the list of
            what was sent is gone. It cannot be brought back.
          </p>
          {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
          <div class="actions">
            <Button isFirstFocused onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button kind="danger-strong" isBusy={act.isBusy} onClick={remove}>
              Remove
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}
