/**
 * French: the mails, by the keys of English. Formal, short, and exact about what did and did not
 * change.
 */
import type { MailWords } from './mail-words.js'

export const french: MailWords = {
  wallet: 'Portefeuille',
  'foot.account': 'Cet e-mail concerne le compte de portefeuille de {account}.',
  'foot.support': 'Des questions ? {support}',
  'foot.doNotAnswer': 'Il a été envoyé automatiquement ; les réponses ne sont pas lues.',
  'reset.subject': '{service} : choisir un nouveau mot de passe',
  'reset.lead':
    'Quelqu’un, sans doute vous, a demandé à choisir un nouveau mot de passe pour votre ' +
    'portefeuille.',
  'reset.link': 'Le lien fonctionne une seule fois, pendant une heure :',
  'reset.notYou': 'Si ce n’était pas vous, ne faites rien : rien n’a changé.',
}
