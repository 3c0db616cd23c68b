// Which brand a card is of, by the first digits: only where they leave no doubt.
import t from 'tap'
import { brandOf } from '../../widget-ui/src/topup/card-brands.js'

t.test('a brand is told by the first digits, as soon as they leave no doubt', async (t) => {
  const brands = {
    '4': 'visa',
    '4242424242424242': 'visa',
    '51': 'mastercard',
    '5555555555554444': 'mastercard',
    '2221': 'mastercard',
    '2720': 'mastercard',
    '378282246310005': 'amex',
    '6011': 'discover',
    '30569309025904': 'diners',
    '3566002020360505': 'jcb',
  }
  for (const [digits, brand] of Object.entries(brands)) t.equal(brandOf(digits), brand, digits)
  for (const digits of ['', '5', '50', '2', '2220', '2721', '3', '35', '3527', '60', '6012', '9'])
    t.equal(brandOf(digits), undefined, digits)
})
