/**
 * A fresh secret, shown once: it is in memory from the act that made it until the person says that
 * it is stored or leaves the page. Never: in storage, in the address, or read from the service
 * again.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { CopyField } from '../shared/copy-field.js'

let kept: { readonly clientId: string; readonly secret: string } | undefined

/** For the page that is shown next, after a client app was created. */
export function keepSecretFor(clientId: string, secret: string): void {
  kept = { clientId, secret }
}

export function takeSecretFor(clientId: string): string | undefined {
  const taken = kept?.clientId === clientId ? kept.secret : undefined
  kept = undefined
  return taken
}

export interface SecretPanelProps {
  appName: string
  clientId: string
  secret: string
  onStored: () => void
}

export function SecretPanel({ appName, clientId, secret, onStored }: SecretPanelProps) {
  return (
    <OnceShown title={`The new secret of ${appName}`} kept="only its hash" onStored={onStored}>
      <CopyField label="clientId" value={clientId} />
      <CopyField label="clientSecret" value={secret} />
    </OnceShown>
  )
}

/** The signing secret of a webhook endpoint. */
export function SigningSecretPanel({ secret, onStored }: { secret: string; onStored: () => void }) {
  return (
    <OnceShown title="The new signing secret" kept="it encrypted" onStored={onStored}>
      <CopyField label="Signing secret" value={secret} />
    </OnceShown>
  )
}

interface OnceShownProps {
  title: string
  kept: string
  onStored: () => void
  children: ComponentChildren
}

function OnceShown({ title, kept, onStored, children }: OnceShownProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [title])
  return (
    <section class="card secret" aria-labelledby="secret">
      <h2 id="secret" ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p>
        Copy it now into the configuration of the app’s backend.{' '}
        <strong>It will not be shown again</strong>: the service keeps {kept}.
      </p>
      {children}
      <div class="actions">
        <Button onClick={onStored}>I have stored it</Button>
      </div>
    </section>
  )
}
