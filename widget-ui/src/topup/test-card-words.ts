/**
 * The test cards and their declines in the language of this page, by number and code. Values only.
 * What this page does not know yet is told in the service's own words where those are of the page's
 * language.
 */
import type { TestCards } from '../../../src/http/schemas/answers/top-ups.js'
import { currentSpeech, say } from '../words/say.js'

type TestCard = TestCards['cards'][number]

const ends = {
  '4242424242424242': 'success',
  '4000000000000002': 'declined',
  '4000002500003155': 'check',
  '4000002760003184': 'always',
  '4000000000000341': 'later',
  '4000000000000077': 'processing',
  '4000000000000119': 'network',
  '4000000000005126': 'refunded',
  '4000000000000259': 'disputed',
} as const

export function testCardWords(card: TestCard): Pick<TestCard, 'label' | 'description'> {
  const known: Readonly<Record<string, (typeof ends)[keyof typeof ends]>> = ends
  const end = known[card.number]
  return end === undefined
    ? card
    : { label: say(`test.${end}`), description: say(`test.${end}Means`) }
}

const declines = {
  card_declined: 'decline.card',
  payment_intent_authentication_failure: 'decline.notApproved',
  incorrect_number: 'decline.notTestCard',
  expired_card: 'decline.expired',
  incorrect_cvc: 'decline.code',
} as const

export function declineWords({ code, message }: { code: string; message: string }): string {
  const known: Readonly<Record<string, (typeof declines)[keyof typeof declines]>> = declines
  const key = known[code]
  if (key !== undefined) return say(key)
  return currentSpeech().language === 'en' ? message : say('pay.refused')
}
