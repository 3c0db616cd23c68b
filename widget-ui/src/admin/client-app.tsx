/**
 * One client app: what it may do, its live secrets with their last use, and the acts on it.
 * Rotating adds a second secret; the first works until it is revoked, so that no call fails.
 */
import { useState } from 'preact/hooks'
import { announce } from '../shared/announcer.js'
import { Button } from '../shared/button.js'
import { Moment } from '../shared/moment.js'
import { Notice } from '../shared/notice.js'
import { ActiveBadge } from './active-badge.js'
import type {
  ClientApp,
  ClientAppInput,
  ClientSecret,
} from '../../../src/http/schemas/answers/admin.js'
import { ClientAppForm } from './client-app-form.js'
import { LastUsed } from './client-apps.js'
import { ConfirmByName } from './confirm.js'
import { Embed } from './embed.js'
import { Page, Waiting } from './page.js'
import { SecretPanel, takeSecretFor } from './secret-panel.js'
import { useSession } from './session.js'
import { useAct, useLoaded } from './work.js'
import { Webhooks } from './webhooks.js'

export function ClientAppPage({ clientId }: { clientId: string }) {
  const { api } = useSession()
  const loaded = useLoaded(() => api.clientApp(clientId), [api, clientId])
  const [secret, setSecret] = useState(() => takeSecretFor(clientId))
  const app = loaded.value
  const up = { to: { page: 'client-apps' }, name: 'Client apps' } as const
  if (loaded.failure?.code === 'NOT_FOUND')
    return (
      <Page title="Unknown client app" up={up}>
        <Notice kind="warning">There is no client app with this clientId.</Notice>
      </Page>
    )
  return (
    <Page title={app?.name ?? 'Client app'} up={up}>
      {app === undefined && <Waiting loaded={loaded} rows={8} />}
      {app !== undefined && secret !== undefined && (
        <SecretPanel
          appName={app.name}
          clientId={clientId}
          secret={secret}
          onStored={() => setSecret(undefined)}
        />
      )}
      {app !== undefined && <Settings app={app} onChanged={loaded.replace} />}
      {app !== undefined && <Embed app={app} />}
      {app !== undefined && <Secrets app={app} onChanged={loaded.replace} onSecret={setSecret} />}
      {app !== undefined && <Webhooks clientId={clientId} />}
      {app !== undefined && <Activity app={app} onChanged={loaded.replace} />}
    </Page>
  )
}

interface PartProps {
  app: ClientApp
  onChanged: (app: ClientApp) => void
}

function Settings({ app, onChanged }: PartProps) {
  const { api, mayAct } = useSession()
  const [isEditing, setEditing] = useState(false)
  const save = async (input: ClientAppInput) => {
    onChanged(await api.updateClientApp(app.clientId, input))
    setEditing(false)
    announce(`${input.name} is saved.`)
  }
  return (
    <section class="card" aria-labelledby="settings">
      <div class="card-head">
        <h2 id="settings">Settings</h2>
        {mayAct && !isEditing && <Button onClick={() => setEditing(true)}>Edit</Button>}
      </div>
      {isEditing ? (
        <ClientAppForm
          app={app}
          action="Save changes"
          onSubmit={save}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <ActiveBadge isActive={app.isActive} />
          </dd>
          <dt>clientId</dt>
          <dd class="fixed">{app.clientId}</dd>
          <dt>Allowed origins</dt>
          <dd>
            <Origins list={app.allowedOrigins} />
          </dd>
          <dt>Allowed iframe parents</dt>
          <dd>
            <Origins list={app.allowedIframeParents} />
          </dd>
          <dt>Scopes</dt>
          <dd>{app.scopes.join(', ')}</dd>
          <dt>Brand in the widget</dt>
          <dd>{app.brandName ?? <span class="quiet">its name</span>}</dd>
          <dt>Accent colour</dt>
          <dd class={app.accentColor === null ? 'quiet' : 'fixed'}>
            {app.accentColor ?? 'the standard one'}
          </dd>
          <dt>Created</dt>
          <dd>
            <Moment at={app.createdAt} />
          </dd>
        </dl>
      )}
    </section>
  )
}

function Origins({ list }: { list: readonly string[] }) {
  if (list.length === 0) return <span class="quiet">none</span>
  return (
    <ul>
      {list.map((origin) => (
        <li key={origin}>{origin}</li>
      ))}
    </ul>
  )
}

interface SecretsProps extends PartProps {
  onSecret: (secret: string | undefined) => void
}

function Secrets({ app, onChanged, onSecret }: SecretsProps) {
  const { api, mayAct } = useSession()
  const [revoking, setRevoking] = useState<ClientSecret>()
  const act = useAct()
  const rotate = () =>
    act.run(async () => {
      const { clientApp, clientSecret } = await api.rotate(app.clientId)
      onChanged(clientApp)
      onSecret(clientSecret)
      announce('A new secret is made. The other one still works.')
    })
  const isFull = app.secrets.length >= 2
  return (
    <section class="card" aria-labelledby="secrets">
      <div class="card-head">
        <h2 id="secrets">Secrets</h2>
        {mayAct && !isFull && (
          <Button isBusy={act.isBusy} onClick={rotate}>
            {app.secrets.length === 0 ? 'Make a secret' : 'Rotate secret'}
          </Button>
        )}
      </div>
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      {app.secrets.length === 0 && (
        <Notice kind="warning">
          This app has no secret: every call of its backend is refused.
        </Notice>
      )}
      {isFull && (
        <p class="quiet">
          Two secrets are live, so that the backend can change over. Revoke the old one once its
          last use stands still; then another can be made.
        </p>
      )}
      <ul class="secrets">
        {app.secrets.map((secret) => (
          <SecretLine
            key={secret.secretId}
            secret={secret}
            onRevoke={mayAct ? () => setRevoking(secret) : undefined}
          />
        ))}
      </ul>
      {revoking !== undefined && (
        <Revoke
          app={app}
          secret={revoking}
          onChanged={onChanged}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  )
}

interface SecretLineProps {
  secret: ClientSecret
  onRevoke: (() => void) | undefined
}

function SecretLine({ secret, onRevoke }: SecretLineProps) {
  return (
    <li class="secret-line">
      <div>
        <p>
          <strong>
            Made <Moment at={secret.createdAt} />
          </strong>
        </p>
        <p class="quiet">
          Last used: <LastUsed at={secret.lastUsedAt} />
        </p>
      </div>
      {onRevoke !== undefined && (
        <Button kind="danger" onClick={onRevoke}>
          Revoke
          <span class="unseen">
            {' '}
            the secret made <Moment at={secret.createdAt} />
          </span>
        </Button>
      )}
    </li>
  )
}

interface RevokeProps extends PartProps {
  secret: ClientSecret
  onClose: () => void
}

function Revoke({ app, secret, onChanged, onClose }: RevokeProps) {
  const { api } = useSession()
  const revoke = async () => {
    onChanged(await api.revoke({ clientId: app.clientId, secretId: secret.secretId }))
    onClose()
    announce(`The secret of ${app.name} is revoked.`)
  }
  const isLast = app.secrets.length === 1
  return (
    <ConfirmByName
      title={`Revoke a secret of ${app.name}`}
      name={app.name}
      nameLabel="Name of the client app"
      action="Revoke secret"
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>
        The secret made <Moment at={secret.createdAt} />,{' '}
        {secret.lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            last used <Moment at={secret.lastUsedAt} />
          </>
        )}
        , stops working within two seconds. It cannot be brought back.
      </p>
      {isLast && (
        <Notice kind="warning">
          It is the only one: until you make another, every call of {app.name} is refused.
        </Notice>
      )}
    </ConfirmByName>
  )
}

function Activity({ app, onChanged }: PartProps) {
  const { api, mayAct } = useSession()
  const [isAsking, setAsking] = useState(false)
  const act = useAct()
  if (!mayAct) return null
  const set = async (isActive: boolean) => {
    onChanged(await api.setClientAppActive(app.clientId, isActive))
    setAsking(false)
    announce(`${app.name} is ${isActive ? 'active' : 'inactive'} now.`)
  }
  return (
    <section class="card" aria-labelledby="activity">
      <div class="card-head">
        <h2 id="activity">{app.isActive ? 'Deactivate' : 'Activate'}</h2>
        {app.isActive ? (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Deactivate {app.name}
          </Button>
        ) : (
          <Button isBusy={act.isBusy} onClick={() => act.run(() => set(true))}>
            Activate {app.name}
          </Button>
        )}
      </div>
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      <p class="quiet">
        {app.isActive
          ? 'An inactive app cannot read or book, and its widget stays closed. No money moves.'
          : 'Its secrets and its widget work again at once.'}
      </p>
      {isAsking && (
        <ConfirmByName
          title={`Deactivate ${app.name}`}
          name={app.name}
          nameLabel="Name of the client app"
          action="Deactivate"
          onConfirm={() => set(false)}
          onClose={() => setAsking(false)}
        >
          <p>
            Every call of its backend and every open widget of {app.name} is refused from now on. No
            money moves. You can activate it again.
          </p>
        </ConfirmByName>
      )}
    </section>
  )
}
