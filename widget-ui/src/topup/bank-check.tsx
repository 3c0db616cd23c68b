/**
 * The bank's own question, as the sandbox plays it: is it you who pays? Escape refuses, and so does
 * Enter at first: the focus is on what moves no money.
 */
import { Button } from '../shared/button.js'
import { Dialog } from '../shared/dialog.js'

export function BankCheck(of: { amount: string; onAnswer: (approved: boolean) => void }) {
  return (
    <Dialog title="Test bank: is this you?" onClose={() => of.onAnswer(false)}>
      <p>
        A top-up of <strong class="amount">{of.amount}</strong> is about to be paid with your card.
      </p>
      <div class="actions">
        <Button isFirstFocused onClick={() => of.onAnswer(false)}>
          Refuse
        </Button>
        <Button kind="primary" onClick={() => of.onAnswer(true)}>
          Approve
        </Button>
      </div>
    </Dialog>
  )
}
