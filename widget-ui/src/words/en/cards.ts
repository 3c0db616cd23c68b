/** English: saved cards. */

export const cards = {
  'saved.pay': 'Pay {amount} with {card}',
  'saved.other': 'Use another card',
  'saved.save': 'Save this card for next time',
  'saved.saveMeans': 'It stays with the card processor. Your password makes sure that it is you.',
  'saved.expires': 'Expires {date}',
  'saved.expired': 'Expired {date}',
  'cards.title': 'Cards and automatic top-up',
  'auto.rule': 'Below {threshold}, {amount} is topped up by itself.',
  'auto.month': '{used} of at most {most} this month.',
  'auto.off': 'Switch it off',
  'auto.failed': 'Your bank refused twice, so automatic top-up is off.',
  'auto.on': 'Switch automatic top-up on',
  'auto.change': 'Change automatic top-up',
  'auto.threshold': 'When less than this is available',
  'auto.amount': 'Top up this much',
  'auto.monthMaximum': 'At most this much a month',
  'auto.card': 'With this card',
  'auto.fault': 'Enter an amount above 0.',
  'cards.none': 'No card is saved. When you top up, choose “Save this card for next time”.',
  'cards.remove': 'Remove',
  'cards.removeAsk':
    '{card} is removed here and at the card processor. To use it again, enter it again.',
  'failure.tooManyCards': 'You have as many saved cards as there may be. Remove one first.',
  'failure.noCard': 'This card is not saved any more.',
  'test.always': '3-D Secure every time',
  'test.alwaysMeans':
    'The bank asks at every payment; saved, it cannot be charged while you are away.',
  'test.later': 'Declined once it is saved',
  'test.laterMeans': 'The first payment succeeds; later ones with the saved card are declined.',
} as const
