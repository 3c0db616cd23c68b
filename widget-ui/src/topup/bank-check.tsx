/**
 * The bank's own question, as the sandbox plays it: is it you who pays? Escape refuses, and so does
 * Enter at first: the focus is on what moves no money.
 */
import { Button } from '../shared/button.js'
import { Dialog } from '../shared/dialog.js'
import { say, sayAround } from '../words/say.js'

export function BankCheck(of: { amount: string; onAnswer: (approved: boolean) => void }) {
  return (
    <Dialog title={say('bank.title')} onClose={() => of.onAnswer(false)}>
      <p>{sayAround('bank.question', { amount: <strong class="amount">{of.amount}</strong> })}</p>
      <div class="actions">
        <Button isFirstFocused onClick={() => of.onAnswer(false)}>
          {say('bank.refuse')}
        </Button>
        <Button kind="primary" onClick={() => of.onAnswer(true)}>
          {say('bank.approve')}
        </Button>
      </div>
    </Dialog>
  )
}
