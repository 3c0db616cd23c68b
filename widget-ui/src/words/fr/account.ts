/** French: all entries, the documents of a wallet, and the person's own account. */
import type { Like } from '../catalog.js'
import type { account as english } from '../en/account.js'
import { long } from '../long-text.js'

export const account: Like<typeof english> = {
  'list.all': 'Toutes les opérations',
  'list.back': 'Retour au portefeuille',
  'list.search': 'Référence ou montant',
  'list.kind': 'Type',
  'list.kindAny': 'Tous les types',
  'list.payment': 'Paiements',
  'list.credit': 'Crédits et remboursements',
  'list.topup': 'Recharges',
  'list.bonus': 'Primes',
  'list.appAny': 'Toutes les applications',
  'list.time': 'Période',
  'list.always': 'Depuis le début',
  'list.thisMonth': 'Ce mois-ci',
  'list.lastMonth': 'Le mois dernier',
  'list.thisYear': 'Cette année',
  'list.ownTime': 'Choisir les jours',
  'list.from': 'Premier jour',
  'list.to': 'Dernier jour',
  'list.nothing': 'Aucune opération ne correspond. Modifiez la recherche.',
  'list.more': 'Afficher plus',
  'list.loading': 'Chargement.',
  'take.title': 'Relevé et preuve',
  'take.means': 'Un relevé de la période choisie ci-dessus.',
  'take.pdf': 'Relevé (PDF)',
  'take.csv': 'Relevé (CSV)',
  'take.proof': 'Télécharger la preuve',
  'take.proofMeans': long(
    'La preuve est tout votre portefeuille, signé. Chacun peut la vérifier sur {page} ; rien ',
    'n’est envoyé.',
  ),
  'take.page': 'la page de vérification',
  'take.receipt': 'Reçu (PDF)',
  'take.saved': 'Enregistré sous {name}.',
  'take.open': 'Rien d’enregistré ? Ouvrir',
  'gate.why':
    'Vous seul pouvez faire cela, pas {brand}. Saisissez le mot de passe de votre portefeuille.',
  'gate.continue': 'Continuer',
  'gate.cancel': 'Annuler',
  'account.save': 'Enregistrer',
  'account.saved': 'Enregistré.',
  'account.you': 'Vous',
  'account.confirmed': 'Confirmé',
  'account.unconfirmed': 'Pas encore confirmé : ouvrez le lien de notre message.',
  'account.waiting': 'Ouvrez le lien envoyé à {email}. Rien ne change d’ici là.',
  'account.mailAgain': 'Renvoyer le lien',
  'account.mailed': 'Le lien est en route.',
  'account.newEmail': 'Nouvelle adresse e-mail',
  'account.changeEmail': 'Changer d’adresse e-mail',
  'account.yourPassword': 'Votre mot de passe',
  'account.changePassword': 'Changer le mot de passe',
  'account.passwordChanged':
    'Le nouveau mot de passe est défini. Toutes les autres connexions sont fermées.',
  'account.places': 'Où vous êtes connecté',
  'account.here': 'Ici',
  'account.byYou': 'Votre connexion chez {app}',
  'account.byApp': 'Ouvert par {app}',
  'account.end': 'Terminer',
  'account.endOthers': 'Terminer toutes les autres',
  'account.apps': 'Applications liées',
  'account.appsMean': 'Elles voient votre solde et prélèvent les paiements que vous y faites.',
  'account.unlink': 'Délier',
  'account.unlinkAsk': long(
    '{app} ne verra plus votre portefeuille et ne prélèvera plus rien. Un remboursement ',
    'reste possible.',
  ),
  'account.unlinked': 'N’est plus liée',
  'account.data': 'Vos données',
  'account.export': 'Tout télécharger (JSON)',
  'account.close': 'Fermer le compte',
  'account.closeMeans': long(
    'Le portefeuille doit être vide. Pendant 30 jours, une connexion rouvre le compte ; ',
    'ensuite il est effacé.',
  ),
  'account.full':
    'Il y a {amount} dans votre portefeuille. Rien n’a été fermé et aucun argent n’est perdu.',
  'account.held':
    '{amount} sont réservés pour un achat : attendez que la boutique les prenne ou les libère.',
  'account.refundable': '{amount} proviennent d’une carte et peuvent y retourner.',
  'account.sendBack': 'Renvoyer {amount} sur la carte',
  'account.sentBack':
    '{amount} retournent sur la carte d’origine. Les banques prennent jusqu’à dix jours.',
  'account.backWaits':
    '{amount} sont mis de côté et repartent dès que le prestataire de cartes répond.',
  'account.backRefused':
    '{amount} ne peuvent pas retourner sur une carte et sont de nouveau dans votre portefeuille.',
  'account.returning':
    'De l’argent retourne encore vers une carte. Rien n’a été fermé. Réessayez plus tard.',
  'account.rest':
    '{amount} ne peuvent pas retourner sur une carte d’ici : dépensez-les ou demandez à {contact}.',
  'account.pending':
    'Une recharge est encore en cours. Rien n’a été fermé. Attendez qu’elle soit enregistrée.',
  'account.closed':
    'Votre compte est fermé. Jusqu’au {date}, une connexion le rouvre ; ensuite il est effacé.',
  'account.reopened': 'Bon retour. Votre compte est rouvert.',
  'account.unlinkedHere': '{brand} n’est plus lié. Connectez-vous pour le lier de nouveau.',
  'confirm.title': 'Votre adresse e-mail',
  'confirm.wait': 'Un instant.',
  'confirm.confirmed': 'Votre adresse e-mail est confirmée. Vous pouvez fermer cette page.',
  'confirm.changed': 'Votre nouvelle adresse est définie. Connectez-vous désormais avec elle.',
  'confirm.unusable': 'Ce lien a déjà servi ou a expiré. Demandez-en un nouveau dans votre compte.',
  'failure.password': 'Le mot de passe n’est pas correct.',
  'failure.tooManyEntries':
    'C’est plus qu’un fichier ne peut contenir. Choisissez une période plus courte.',
  'failure.proof': 'Rien de votre portefeuille n’est encore signé. Réessayez dans une heure.',
}
