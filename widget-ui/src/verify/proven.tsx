/**
 * A bundle that holds: what that means, whom it trusts, and the wallet's statement. Long statements
 * are shown a part at a time, newest first; what is shown says how much of it.
 */
import { useState } from 'preact/hooks'
import type { BundleLine, ValidBundle } from '../../../src/verify-bundle/verify-bundle.mjs'
import { DataTable, type Column } from '../shared/data-table.js'
import { exactTime, formatsFor, inWords, type Formats } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'

const linesAtOnce = 200

export function Proven({ name, bundle }: { name: string; bundle: ValidBundle }) {
  const formats = formatsFor({ code: bundle.currency, decimals: bundle.decimals })
  const major = (minor: number): number => minor / 10 ** bundle.decimals
  const { checkpoint } = bundle
  return (
    <section class="proven" aria-label="Result">
      <Notice kind="good">
        <h2>This bundle holds</h2>
        <p>
          {bundle.events === 1
            ? 'The only entry, its balance and its hash are'
            : `All ${formats.count(bundle.events)} entries, their balances and hashes are`}{' '}
          as they were signed in checkpoint {checkpoint.number} of {exactTime(checkpoint.time)}.
        </p>
      </Notice>
      <dl class="facts card">
        <Fact name="Balance">
          <strong class="amount">{formats.money(major(bundle.balanceMinor))}</strong>
        </Fact>
        <Fact name="Wallet">
          <code>{bundle.walletId}</code>
        </Fact>
        <Fact name="Signed with key">
          <code>{bundle.keyId}</code>
          <small>
            Compare it with the key that you have kept: whoever signs with another key can make a
            bundle that holds, too.
          </small>
        </Fact>
        <Fact name="Checkpoint">
          {formats.count(checkpoint.number)}, over{' '}
          {formats.counted(checkpoint.walletCount, 'wallet', 'wallets')}, with the chain from
          checkpoint {formats.count(bundle.oldestCheckpoint)} on
        </Fact>
        <Fact name="File">{name}</Fact>
      </dl>
      <Statement lines={bundle.lines} formats={formats} major={major} />
    </section>
  )
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div class="fact">
      <dt class="quiet">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

interface StatementProps {
  lines: readonly BundleLine[]
  formats: Formats
  major: (minor: number) => number
}

function Statement({ lines, formats, major }: StatementProps) {
  const [count, setCount] = useState(linesAtOnce)
  const shown = lines.slice(-count).reverse()
  const columns: readonly Column<BundleLine>[] = [
    { name: 'Entry', isHead: true, cell: (line) => <Label line={line} /> },
    { name: 'Time', cell: ({ time }) => <time dateTime={time}>{exactTime(time)}</time> },
    {
      name: 'Amount',
      isNumber: true,
      cell: ({ changeMinor }) =>
        changeMinor === 0 ? '–' : <Amount text={formats.signedMoney(major(changeMinor))} />,
    },
    {
      name: 'Balance',
      isNumber: true,
      cell: ({ balanceMinor }) => <Amount text={formats.money(major(balanceMinor))} />,
    },
    { name: 'Revision', isNumber: true, cell: ({ revision }) => String(revision) },
  ]
  if (lines.length === 0) return <p>The bundle was made to show no entry of this time.</p>
  return (
    <div class="statement">
      <div>
        <h2>Statement</h2>
        <p class="quiet small">
          {formats.count(shown.length)} of {formats.counted(lines.length, 'entry', 'entries')},
          newest first
        </p>
      </div>
      <DataTable
        caption="The wallet’s entries, newest first"
        columns={columns}
        rows={shown}
        keyOf={({ revision }) => String(revision)}
      />
      {shown.length < lines.length && (
        <button class="button" type="button" onClick={() => setCount(count + linesAtOnce)}>
          Show older entries
        </button>
      )}
    </div>
  )
}

function Amount({ text }: { text: string }) {
  return <span class="amount">{text}</span>
}

const names: Readonly<Record<string, string>> = {
  WalletOpened: 'Wallet opened',
  WalletCredited: 'Credit',
  WalletDebited: 'Debit',
  DebitDeclined: 'Debit declined',
  CreditDeclined: 'Credit declined',
  WalletToppedUp: 'Top-up',
  TopUpReversed: 'Top-up reversed',
  TopUpReinstated: 'Top-up reinstated',
  BonusGranted: 'Bonus',
  HoldPlaced: 'Hold placed',
  HoldDeclined: 'Hold declined',
  HoldCaptured: 'Hold captured',
  CaptureDeclined: 'Capture declined',
  HoldReleased: 'Hold released',
  ReleaseDeclined: 'Release declined',
  HoldExpired: 'Hold expired',
  WalletDeactivated: 'Wallet deactivated',
  WalletReactivated: 'Wallet reactivated',
}

function Label({ line }: { line: BundleLine }) {
  const { type, code, referenceType, referenceId, issuer, reason } = line
  const details = [
    ...(code === null ? [] : [inWords(code)]),
    // Exactly as it stands in the books that an auditor compares.
    ...(referenceType === null ? [] : [`${referenceType} ${referenceId ?? ''}`]),
    ...(reason === null ? [] : [reason]),
    ...(issuer === null ? [] : [issuer === 'service' ? 'the service' : issuer]),
  ]
  return (
    <>
      {names[type] ?? type}
      {details.length > 0 && <small>{details.join(' · ')}</small>}
    </>
  )
}
