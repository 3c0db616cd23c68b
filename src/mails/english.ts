/**
 * English: the mails. A new one gets its keys here first, then in the other languages; {service},
 * {account} and {support} are known in all of them.
 */
export const english = {
  wallet: 'Wallet',
  'foot.account': 'This mail is about the wallet account of {account}.',
  'foot.support': 'Questions? {support}',
  'foot.doNotAnswer': 'It was sent by itself; answers to it are not read.',
  'reset.subject': '{service}: choose a new password',
  'reset.lead': 'Somebody, hopefully you, asked to choose a new password for your wallet.',
  'reset.link': 'The link works once, for one hour:',
  'reset.notYou': 'If you did not ask, do nothing: nothing has changed.',
} as const
