/** French: the wallet, its entries, its menu and the cards in its place. */
import type { Like } from '../catalog.js'
import type { wallet as english } from '../en/wallet.js'

export const wallet: Like<typeof english> = {
  'wallet.title': 'Portefeuille',
  'wallet.word': 'portefeuille',
  'wallet.latest': 'Dernières opérations',
  'wallet.balance': 'Solde',
  'wallet.lastKnown': 'Dernier solde connu',
  'wallet.balanceIs': 'Solde : {amount}',
  'wallet.reserved': 'Réservé : {held}, disponible : {available}',
  'wallet.negative':
    'Une recharge a été reprise après avoir été dépensée. Les paiements sont refusés tant que ' +
    'ce montant n’est pas couvert.',
  'wallet.topUp': 'Recharger',
  'wallet.lost':
    'Pas de connexion au service du portefeuille. Dernière réponse : {time}. Votre argent est ' +
    'en sécurité ; nous réessayons.',
  'wallet.tryNow': 'Réessayer maintenant',
  'wallet.noTopUpPage': 'Aucune page de recharge ne s’est ouverte ?',
  'wallet.topUpHere': 'Recharger ici',
  'wallet.paused': 'Ce portefeuille est suspendu.',
  'wallet.pausedWhy': 'Motif : {reason}',
  'wallet.pausedMeans':
    'Votre solde reste tel quel. Les paiements et les recharges sont refusés jusqu’à sa reprise.',
  'wallet.loading': 'Chargement de votre portefeuille.',
  'wallet.spokenBalance': 'Solde {amount}.',
  'wallet.spokenNew': 'Nouveau : {title}, {amount}.',
  'wallet.pendingOne':
    'Une recharge de {amount} est en cours de traitement par votre banque. Inutile de la payer ' +
    'à nouveau.',
  'wallet.pendingMany': {
    one:
      '{count} recharge est en cours de traitement par votre banque. Inutile de la payer à ' +
      'nouveau.',
    other:
      '{count} recharges sont en cours de traitement par votre banque. Inutile de les payer à ' +
      'nouveau.',
  },
  'menu.word': 'menu du compte',
  'menu.yourAccount': 'Votre compte',
  'menu.switch': 'Changer de compte',
  'menu.switchMeans':
    '{brand} oublie ce compte ici, et vous vous connectez avec un autre. Votre argent reste où ' +
    'il est.',
  'menu.language': 'Langue',
  'entry.none':
    'Il ne s’est encore rien passé dans ce portefeuille. Rechargez-le pour payer une première ' +
    'fois.',
  'entry.otherApps':
    'Ce que vous faites dans d’autres applications apparaît ici sans détails, pour que {brand} ' +
    'ne puisse pas le lire.',
  'entry.processing': 'En cours de traitement',
  'entry.state': 'État',
  'entry.atBank': 'Votre banque s’en occupe. L’argent n’est pas encore dans votre solde.',
  'entry.balanceAfter': 'Solde après',
  'entry.whatFor': 'Pour quoi',
  'entry.details': 'Détails',
  'entry.hidden': 'Masqués, pour que {brand} ne puisse pas les lire.',
  'entry.app': 'Application',
  'entry.seenByYou':
    '{app} : {kind}. Vous le voyez parce que vous vous êtes connecté ici ; {brand} ne le voit ' +
    'pas.',
  'entry.reference': 'Référence',
  'entry.creditElsewhere': 'Crédit d’une autre application',
  'entry.paymentElsewhere': 'Paiement dans une autre application',
  'entry.topUp': 'Recharge',
  'entry.topUpTaken': 'Recharge reprise',
  'entry.topUpRestored': 'Recharge rétablie',
  'entry.topUpRefunded': 'Recharge remboursée sur votre carte',
  'entry.disputeRestored': 'Recharge contestée rétablie',
  'entry.disputed': 'Recharge contestée auprès de votre banque',
  'entry.bonus': 'Bonus',
  'entry.bonusTaken': 'Bonus repris',
  'ended.title': 'La session de votre portefeuille a pris fin',
  'ended.why':
    'Elle prend fin au bout de cinq minutes pour protéger votre portefeuille. Aucun argent n’a ' +
    'bougé.',
  'ended.logInOrLoad': 'Connectez-vous ici pour continuer, ou rechargez la page de {brand}.',
  'ended.load': 'Rechargez la page de la boutique pour continuer.',
  'ended.logIn': 'Se connecter ici',
  'problem.off': 'Ce portefeuille est désactivé ici',
  'problem.offMeans':
    '{brand} ne peut pas utiliser le portefeuille en ce moment. Votre argent est en sécurité et ' +
    'aucun argent n’a bougé. Demandez à {brand} quand il sera de nouveau disponible.',
  'problem.noShop': 'Aucune boutique indiquée',
  'problem.noShopMeans':
    'Cette page a été ouverte sans la boutique à laquelle elle appartient : personne ne peut ' +
    'donc s’y connecter. Aucun argent n’a bougé. Retournez à la boutique et ouvrez-y votre ' +
    'portefeuille.',
  'problem.makers':
    'Pour les personnes qui créent la boutique : l’adresse doit contenir le clientId d’une ' +
    'application cliente enregistrée, par exemple {address}. Le {doctor} indique ce qui manque ' +
    'encore.',
  'problem.doctor': 'docteur du widget',
}
