/**
 * What an admin can do to a wallet: grant a bonus, stop it and let it go on, make a password link.
 * A bonus carries an id made when its form opens: however often it is sent, it is granted once.
 */
import { useState } from 'preact/hooks'
import { announce } from '../shared/announcer.js'
import { Button } from '../shared/button.js'
import { CopyField } from '../shared/copy-field.js'
import { Dialog } from '../shared/dialog.js'
import { TextField } from '../shared/field.js'
import { Moment } from '../shared/moment.js'
import { Notice } from '../shared/notice.js'
import type { WalletStatement as Wallet } from '../../../src/http/schemas/answers/admin.js'
import { randomUuid } from './random-uuid.js'
import { useSession } from './session.js'
import { personName } from './wallet-parts.js'
import { useAct } from './work.js'

const reasonLengthMax = 200
const descriptionLengthMax = 500

type Asked = 'bonus' | 'status' | 'password'

export function WalletActs({ wallet, onActed }: { wallet: Wallet; onActed: () => void }) {
  const { mayAct } = useSession()
  const [asked, setAsked] = useState<Asked>()
  if (!mayAct) return null
  const close = () => setAsked(undefined)
  const acted = (words: string) => {
    close()
    announce(words)
    onActed()
  }
  return (
    <section aria-labelledby="acts">
      <h2 id="acts" class="unseen">
        Acts
      </h2>
      <div class="actions">
        <Button onClick={() => setAsked('bonus')}>Grant a bonus</Button>
        {wallet.email !== null && (
          <Button onClick={() => setAsked('password')}>Make a password link</Button>
        )}
        <Button kind={wallet.isActive ? 'danger' : 'plain'} onClick={() => setAsked('status')}>
          {wallet.isActive ? 'Deactivate wallet' : 'Reactivate wallet'}
        </Button>
      </div>
      {asked === 'bonus' && <BonusDialog wallet={wallet} onDone={acted} onClose={close} />}
      {asked === 'status' && <StatusDialog wallet={wallet} onDone={acted} onClose={close} />}
      {asked === 'password' && <PasswordDialog wallet={wallet} onClose={close} />}
    </section>
  )
}

interface ActDialogProps {
  wallet: Wallet
  onDone: (words: string) => void
  onClose: () => void
}

function BonusDialog({ wallet, onDone, onClose }: ActDialogProps) {
  const { api, formats } = useSession()
  const [bonusId] = useState(randomUuid)
  const [amount, setAmount] = useState('')
  const [description, setDescription] = useState('')
  const [fault, setFault] = useState<string>()
  const act = useAct()
  const submit = (event: Event) => {
    event.preventDefault()
    const read = formats.readAmount(amount)
    setFault(read === undefined ? amountFault(formats.currency.decimals) : undefined)
    if (read === undefined) return
    const text = description.trim()
    act.run(async () => {
      const bonus = { bonusId, amount: read, ...(text === '' ? {} : { description: text }) }
      const granted = await api.grantBonus(wallet.walletId, bonus)
      const again = granted.replayed
        ? ' It had been granted already, and was not granted twice.'
        : ''
      onDone(`A bonus of ${formats.money(granted.amount)} is granted.${again}`)
    })
  }
  const errorOf = (field: string) =>
    act.failure?.field === field ? act.failure.message : undefined
  return (
    <Dialog title={`Grant a bonus to ${personName(wallet)}`} onClose={onClose}>
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label={`Amount in ${formats.currency.code.toUpperCase()}`}
          name="amount"
          inputMode="decimal"
          autocomplete="off"
          value={amount}
          onValue={(value) => {
            setAmount(value)
            setFault(undefined)
          }}
          error={fault ?? errorOf('amount')}
        />
        {!wallet.erased && (
          <TextField
            label="What for (optional)"
            name="description"
            hint="The person reads it in their wallet."
            autocomplete="off"
            maxLength={descriptionLengthMax}
            value={description}
            onValue={setDescription}
            error={errorOf('description')}
          />
        )}
        {act.failure !== undefined && act.failure.field === undefined && (
          <Notice kind="danger">{bonusFailure(act.failure)}</Notice>
        )}
        <FormActions action="Grant bonus" isBusy={act.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

function StatusDialog({ wallet, onDone, onClose }: ActDialogProps) {
  const { api } = useSession()
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [faults, setFaults] = useState<StatusFaults>({})
  const act = useAct()
  const isActive = !wallet.isActive
  const verb = isActive ? 'Reactivate' : 'Deactivate'
  const submit = (event: Event) => {
    event.preventDefault()
    const found = statusFaults(wallet, { reason, typed })
    setFaults(found)
    if (Object.keys(found).length > 0) return
    act.run(async () => {
      await api.setWalletActive(wallet.walletId, { isActive, reason: reason.trim() })
      onDone(`The wallet is ${isActive ? 'active' : 'inactive'} now.`)
    })
  }
  return (
    <Dialog title={`${verb} the wallet of ${personName(wallet)}`} onClose={onClose}>
      <p>
        {isActive
          ? 'Debits and credits are booked again from now on.'
          : 'Debits, credits and top-ups are refused until it is reactivated. The balance stays.'}
      </p>
      <form class="form" onSubmit={submit} noValidate>
        <ReasonField
          value={reason}
          onValue={(value) => {
            setReason(value)
            setFaults({ ...faults, reason: undefined })
          }}
          error={
            faults.reason ?? (act.failure?.field === 'reason' ? act.failure.message : undefined)
          }
        />
        {!isActive && (
          <ConfirmationField
            wallet={wallet}
            value={typed}
            onValue={(value) => {
              setTyped(value)
              setFaults({ ...faults, name: undefined })
            }}
            error={faults.name}
          />
        )}
        {act.failure !== undefined && act.failure.field === undefined && (
          <Notice kind="danger">{act.failure.message}</Notice>
        )}
        <FormActions
          action={`${verb} wallet`}
          isDangerous={!isActive}
          isBusy={act.isBusy}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

interface StatusFaults {
  reason?: string | undefined
  name?: string | undefined
}

function statusFaults(wallet: Wallet, of: { reason: string; typed: string }): StatusFaults {
  const name = nameToType(wallet)
  return {
    ...(of.reason.trim() === '' ? { reason: 'Give a reason.' } : {}),
    // Letting it go on is not dangerous: it asks for no name.
    ...(wallet.isActive && of.typed.trim() !== name ? { name: `This is not ${name}.` } : {}),
  }
}

function nameToType({ email, walletId }: Wallet): string {
  return email ?? walletId
}

interface StatusFieldProps {
  value: string
  onValue: (value: string) => void
  error: string | undefined
}

function ReasonField(field: StatusFieldProps) {
  return (
    <TextField
      {...field}
      label="Reason"
      name="reason"
      hint="Goes into the ledger for good, and the person reads it. At most 200 characters."
      maxLength={reasonLengthMax}
      autocomplete="off"
    />
  )
}

function ConfirmationField({ wallet, ...field }: StatusFieldProps & { wallet: Wallet }) {
  return (
    <TextField
      {...field}
      label={wallet.email === null ? 'Wallet id' : 'Email of the wallet'}
      name="confirmation"
      hint={<TypeThis name={nameToType(wallet)} />}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
    />
  )
}

function PasswordDialog({ wallet, onClose }: { wallet: Wallet; onClose: () => void }) {
  const { api } = useSession()
  const [link, setLink] = useState<{ resetUrl: string; expiresAt: string }>()
  const act = useAct()
  const make = () =>
    act.run(async () => {
      setLink(await api.resetPassword(wallet.serviceUserId))
    })
  return (
    <Dialog title={`A password link for ${personName(wallet)}`} onClose={onClose}>
      {link === undefined ? (
        <p>
          Whoever has the link can set a new password for <strong>{wallet.email}</strong>, once,
          within an hour. Make it only for the person themselves.
        </p>
      ) : (
        <>
          <p>
            Send it to the person over a way you trust. It works once and will not be shown again.
          </p>
          <CopyField label="Password link" value={link.resetUrl} />
          <p class="quiet small">
            It ends at {new Date(link.expiresAt).toLocaleTimeString()} (
            <Moment at={link.expiresAt} />
            ).
          </p>
        </>
      )}
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      <div class="actions">
        <Button onClick={onClose}>{link === undefined ? 'Cancel' : 'Close'}</Button>
        {link === undefined && (
          <Button kind="primary" isBusy={act.isBusy} onClick={make}>
            Make the link
          </Button>
        )}
      </div>
    </Dialog>
  )
}

function TypeThis({ name }: { name: string }) {
  return (
    <>
      Type <strong>{name}</strong> to go on.
    </>
  )
}

interface FormActionsProps {
  action: string
  isBusy: boolean
  isDangerous?: boolean
  onClose: () => void
}

function FormActions({ action, isBusy, isDangerous = false, onClose }: FormActionsProps) {
  return (
    <div class="actions">
      <Button onClick={onClose}>Cancel</Button>
      <Button kind={isDangerous ? 'danger-strong' : 'primary'} type="submit" isBusy={isBusy}>
        {action}
      </Button>
    </div>
  )
}

function amountFault(decimals: number): string {
  return decimals === 0
    ? 'Write a whole amount above 0, such as 500.'
    : `Write an amount above 0 with at most ${decimals} decimals, such as 5.00.`
}

/** The one act of which it is certain that a repeat is safe. */
function bonusFailure({ code, message }: { code: string; message: string }): string {
  if (code !== 'UNAVAILABLE') return message
  return 'The service did not answer. Press the button again: the bonus is granted once at most.'
}
