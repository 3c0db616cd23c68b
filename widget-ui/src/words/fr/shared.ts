/** French: what fields, failures and times say on every page. */
import type { Like } from '../catalog.js'
import type { shared as english } from '../en/shared.js'

export const shared: Like<typeof english> = {
  'time.now': 'à l’instant',
  'act.tryAgain': 'Réessayer',
  'field.capsLock': 'Le verrouillage des majuscules est activé.',
  'field.show': 'Afficher',
  'field.hide': 'Masquer',
  'field.showPassword': 'Afficher le mot de passe',
  'field.hidePassword': 'Masquer le mot de passe',
  'failure.noAnswer':
    'Le service du portefeuille ne répond pas pour le moment. Réessayez dans un instant.',
  'failure.noAnswerUnmoved':
    'Le service du portefeuille ne répond pas pour le moment. Aucun argent n’a bougé. Réessayez ' +
    'dans un instant.',
  'failure.page': 'Une erreur s’est produite sur cette page. Rien n’a été modifié. Rechargez-la.',
  'failure.tries': {
    one: 'Il y a eu trop de tentatives. Attendez une minute, puis réessayez.',
    other: 'Il y a eu trop de tentatives. Attendez {count} minutes, puis réessayez.',
  },
  'failure.tooMuch': 'Il y a trop de demandes en même temps. Réessayez dans un instant.',
  'failure.login':
    'Cette adresse e-mail et ce mot de passe ne vont pas ensemble. Vérifiez les deux et ' +
    'réessayez.',
  'failure.client':
    'La boutique à laquelle appartient cette page ne peut pas utiliser le portefeuille pour le ' +
    'moment. Prévenez la boutique.',
  'failure.exists':
    'Il existe déjà un portefeuille avec cette adresse e-mail. Connectez-vous avec celle-ci.',
  'failure.session': 'La session a expiré.',
  'failure.otherAccount':
    'La nouvelle session est celle d’une autre personne ou d’une autre application, ou elle a ' +
    'pris fin.',
  'failure.inactive': 'Le portefeuille n’est pas actif.',
  'failure.cards':
    'Les paiements par carte ne sont pas possibles pour le moment. Ce qui a été payé sera ' +
    'crédité plus tard, automatiquement.',
  'failure.noMail':
    'Ce service n’envoie pas d’e-mails. Demandez un lien aux personnes qui le gèrent.',
  'failure.other': 'Le service du portefeuille a refusé la demande. Vérifiez votre saisie.',
  'fault.email': 'Saisissez une adresse e-mail, par exemple anne@example.com.',
  'fault.short': '{minimum} caractères au minimum.',
  'fault.other': 'Cette valeur n’est pas acceptée. Saisissez-en une autre.',
  'service.same':
    'Votre portefeuille chez {brand} est un seul et même portefeuille, avec un seul solde, ' +
    'dans toutes les applications que vous reliez.',
  'service.sameOf':
    'Votre portefeuille chez {brand} est géré par {service} : un seul et même portefeuille, ' +
    'avec un seul solde, dans toutes les applications que vous reliez.',
  'service.support': 'Aide',
  'service.terms': 'Conditions',
  'service.privacy': 'Confidentialité',
}
