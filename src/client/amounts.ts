/**
 * Amounts on their way to the service. Promises: what is sent is exactly the decimal that was
 * given; a sum that floating point has spoiled (0.1 + 0.2) is refused before anything is sent.
 * Never: rounds. How many decimals the currency has is for the service to say.
 */
import { amountDigitsMax } from './limits.js'
import { InvalidAmountError } from './wallet-errors.js'

const decimal = /^(\d+)(?:\.(\d+))?$/

/** As the JSON number of the contract. */
export function amountNumber(amount: number | string): number {
  return Number(amountText(amount))
}

/** As the text of a query. */
export function amountText(amount: number | string): string {
  // The shortest text that names a double: what was meant, unless a sum has spoiled it.
  const text = String(amount)
  const [, whole, fraction = ''] = decimal.exec(text) ?? []
  if (whole === undefined)
    throw new InvalidAmountError(`'${text.slice(0, 40)}' is no decimal number such as 12.50.`)
  const digits = `${whole}${fraction.replace(/0+$/, '')}`.replace(/^0+/, '')
  if (digits.length > amountDigitsMax)
    throw new InvalidAmountError(
      `${text.slice(0, 40)} has more than ${amountDigitsMax} digits. ` +
        'Add up in minor units, and give the result as a decimal text.',
    )
  return text
}
