/**
 * The form of a client app, for a new one and for changes. Faults stand beside the field they
 * belong to, what was typed stays; the service decides, this form only spares it the obvious.
 */
import { useRef, useState } from 'preact/hooks'
import { announce } from '../shared/announcer.js'
import { Button } from '../shared/button.js'
import { FieldError, TextArea, TextField } from '../shared/field.js'
import { Notice } from '../shared/notice.js'
import type { ClientApp, ClientAppInput, Scope } from '../../../src/http/schemas/answers/admin.js'
import { Page } from './page.js'
import { goTo } from './router.js'
import { keepSecretFor } from './secret-panel.js'
import { useSession } from './session.js'
import { useAct, type Act } from './work.js'

export function NewClientAppPage() {
  const { api, mayAct } = useSession()
  const up = { to: { page: 'client-apps' }, name: 'Client apps' } as const
  if (!mayAct)
    return (
      <Page title="New client app" up={up}>
        <Notice kind="info">
          Only an admin can create a client app. You can read all of them.
        </Notice>
      </Page>
    )
  const create = async (input: ClientAppInput) => {
    const { clientApp, clientSecret } = await api.createClientApp(input)
    keepSecretFor(clientApp.clientId, clientSecret)
    announce(`${clientApp.name} is created.`)
    goTo({ page: 'client-app', clientId: clientApp.clientId })
  }
  return (
    <Page title="New client app" up={up}>
      <div class="card card-narrow">
        <ClientAppForm
          action="Create client app"
          onSubmit={create}
          onCancel={() => goTo({ page: 'client-apps' })}
        />
      </div>
    </Page>
  )
}

export interface ClientAppFormProps {
  app?: ClientApp
  action: string
  onSubmit: (input: ClientAppInput) => Promise<void>
  onCancel: () => void
}

export function ClientAppForm({ app, action, onSubmit, onCancel }: ClientAppFormProps) {
  const [typed, setTyped] = useState(() => typedFrom(app))
  const [faults, setFaults] = useState<Faults>({})
  const act = useAct()
  const form = useRef<HTMLFormElement>(null)
  const change = <Name extends keyof Typed>(name: Name, value: Typed[Name]) => {
    setTyped((before) => ({ ...before, [name]: value }))
    setFaults(({ [name]: _gone, ...others }) => others)
    act.forget()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const found = faultsIn(typed)
    setFaults(found)
    const [first] = Object.keys(found)
    if (first === undefined) act.run(() => onSubmit(inputFrom(typed)))
    else form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus()
  }
  return (
    <form class="form" ref={form} onSubmit={submit} noValidate>
      <Fields typed={typed} onChange={change} errors={{ ...faultFrom(act, typed), ...faults }} />
      {act.failure !== undefined && !isField(act.failure.field) && (
        <Notice kind="danger">{act.failure.message}</Notice>
      )}
      <div class="actions">
        <Button kind="primary" type="submit" isBusy={act.isBusy}>
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}

interface Typed {
  name: string
  allowedOrigins: string
  allowedIframeParents: string
  scopes: readonly Scope[]
  brandName: string
  accentColor: string
}

type Faults = { [Name in keyof Typed]?: string }

interface FieldsProps {
  typed: Typed
  errors: Faults
  onChange: <Name extends keyof Typed>(name: Name, value: Typed[Name]) => void
}

function Fields({ typed, errors, onChange }: FieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        hint="What people know it by. It stands in their wallet beside each entry."
        value={typed.name}
        onValue={(value) => onChange('name', value)}
        error={errors.name}
        autocomplete="off"
      />
      <TextArea
        label="Allowed origins"
        name="allowedOrigins"
        hint="Where the app’s own pages live: scheme, host and port, one a line."
        placeholder="https://shop.example.com"
        rows={3}
        value={typed.allowedOrigins}
        onValue={(value) => onChange('allowedOrigins', value)}
        error={errors.allowedOrigins}
      />
      <TextArea
        label="Allowed iframe parents"
        name="allowedIframeParents"
        hint="Which pages may show the wallet inside them, one origin a line."
        placeholder="https://shop.example.com"
        rows={3}
        value={typed.allowedIframeParents}
        onValue={(value) => onChange('allowedIframeParents', value)}
        error={errors.allowedIframeParents}
      />
      <Scopes
        chosen={typed.scopes}
        onChosen={(value) => onChange('scopes', value)}
        error={errors.scopes}
      />
      <BrandFields typed={typed} errors={errors} onChange={onChange} />
    </>
  )
}

function BrandFields({ typed, errors, onChange }: FieldsProps) {
  return (
    <>
      <TextField
        label="Brand in the widget (optional)"
        name="brandName"
        hint="Stands at the top of the wallet in the app’s pages. Empty: its name."
        value={typed.brandName}
        onValue={(value) => onChange('brandName', value)}
        error={errors.brandName}
        autocomplete="off"
      />
      <TextField
        label="Accent colour (optional)"
        name="accentColor"
        hint="Buttons and links of the widget. Empty: the standard colour."
        placeholder="#1a7f5a"
        value={typed.accentColor}
        onValue={(value) => onChange('accentColor', value)}
        error={errors.accentColor}
        autocomplete="off"
      />
    </>
  )
}

const scopes: readonly { scope: Scope; meaning: string }[] = [
  { scope: 'wallet:read', meaning: 'read balances and entries, open the widget' },
  { scope: 'wallet:write', meaning: 'debit and credit' },
]

interface ScopesProps {
  chosen: readonly Scope[]
  onChosen: (scopes: readonly Scope[]) => void
  error: string | undefined
}

function Scopes({ chosen, onChosen, error }: ScopesProps) {
  const change = (scope: Scope, isChosen: boolean) =>
    onChosen(
      scopes
        .map((one) => one.scope)
        .filter((one) => (one === scope ? isChosen : chosen.includes(one))),
    )
  return (
    <fieldset class="field" aria-describedby={error === undefined ? undefined : 'scopes-error'}>
      <legend>Scopes</legend>
      {scopes.map(({ scope, meaning }) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            name="scopes"
            value={scope}
            checked={chosen.includes(scope)}
            onChange={(event) => change(scope, event.currentTarget.checked)}
          />
          <span>
            <code>{scope}</code> <span class="quiet">{meaning}</span>
          </span>
        </label>
      ))}
      <FieldError id="scopes" text={error} />
    </fieldset>
  )
}

function typedFrom(app: ClientApp | undefined): Typed {
  return {
    name: app?.name ?? '',
    allowedOrigins: app?.allowedOrigins.join('\n') ?? '',
    allowedIframeParents: app?.allowedIframeParents.join('\n') ?? '',
    scopes: app?.scopes ?? ['wallet:read', 'wallet:write'],
    brandName: app?.brandName ?? '',
    accentColor: app?.accentColor ?? '',
  }
}

function inputFrom(typed: Typed): ClientAppInput {
  return {
    name: typed.name.trim(),
    allowedOrigins: linesOf(typed.allowedOrigins),
    allowedIframeParents: linesOf(typed.allowedIframeParents),
    scopes: typed.scopes,
    // An empty field means none.
    brandName: typed.brandName.trim() || null,
    accentColor: typed.accentColor.trim() || null,
  }
}

function linesOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** In the order of the fields, so that the first is the one to go to. */
function faultsIn(typed: Typed): Faults {
  const faults: Faults = {}
  if (typed.name.trim() === '') faults.name = 'Give the app a name.'
  for (const field of ['allowedOrigins', 'allowedIframeParents'] as const) {
    const wrong = linesOf(typed[field]).find((line) => !isOrigin(line))
    if (wrong !== undefined) faults[field] = originFault(wrong)
  }
  if (typed.scopes.length === 0) faults.scopes = 'Choose at least one scope.'
  if (!/^(#[0-9a-f]{6})?$/i.test(typed.accentColor.trim()))
    faults.accentColor = 'Write it as # and six digits, like #1a7f5a.'
  return faults
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
}

function originFault(text: string): string {
  const meant = URL.canParse(text) ? new URL(text).origin : 'null'
  const advice = meant === 'null' ? 'Write it like https://shop.example.com.' : `Write ${meant}.`
  return `“${text}” is not an exact origin. ${advice}`
}

/** What the service found, with the value that it is about. */
function faultFrom({ failure }: Act, typed: Typed): Faults {
  const field = failure?.field
  if (failure === undefined || !isField(field)) return {}
  const value = typed[field]
  const list = typeof value === 'string' ? linesOf(value) : value
  const about = failure.index === undefined ? undefined : list[failure.index]
  return { [field]: about === undefined ? failure.message : `“${about}”: ${failure.message}` }
}

function isField(name: string | undefined): name is keyof Typed {
  return fieldNames.some((known) => known === name)
}

const fieldNames: readonly (keyof Typed)[] = [
  'name',
  'allowedOrigins',
  'allowedIframeParents',
  'scopes',
  'brandName',
  'accentColor',
]
