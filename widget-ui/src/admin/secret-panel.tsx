/**
 * A fresh secret, shown once: it is in memory from the act that made it until the person says that
 * it is stored or leaves the page. Never: in storage, in the address, or read from the service
 * again.
 */
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
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [secret])
  return (
    <section class="card secret" aria-labelledby="secret">
      <h2 id="secret" ref={heading} tabIndex={-1}>
        The new secret of {appName}
      </h2>
      <p>
        Copy it now into the configuration of the app’s backend.{' '}
        <strong>It will not be shown again</strong>: the service keeps only its hash.
      </p>
      <CopyField label="clientId" value={clientId} />
      <CopyField label="clientSecret" value={secret} />
      <div class="actions">
        <Button onClick={onStored}>I have stored it</Button>
      </div>
    </section>
  )
}
