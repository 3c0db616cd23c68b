/** French: saved cards. */
import type { Like } from '../catalog.js'
import type { cards as english } from '../en/cards.js'
import { long } from '../long-text.js'

export const cards: Like<typeof english> = {
  'saved.pay': 'Payer {amount} avec {card}',
  'saved.other': 'Utiliser une autre carte',
  'saved.save': 'Enregistrer cette carte pour la prochaine fois',
  'saved.saveMeans':
    'Elle reste chez le prestataire de paiement. Votre mot de passe confirme que c’est bien vous.',
  'saved.expires': 'Expire {date}',
  'saved.expired': 'Expirée {date}',
  'cards.title': 'Cartes et recharge automatique',
  'auto.rule': 'Sous {threshold}, {amount} sont rechargés automatiquement.',
  'auto.month': '{used} sur {most} au plus ce mois-ci.',
  'auto.off': 'Désactiver',
  'auto.failed': 'Votre banque a refusé deux fois : la recharge automatique est désactivée.',
  'auto.on': 'Activer la recharge automatique',
  'auto.change': 'Modifier la recharge automatique',
  'auto.threshold': 'Quand il reste moins que',
  'auto.amount': 'Recharger ce montant',
  'auto.monthMaximum': 'Au plus ce montant par mois',
  'auto.card': 'Avec cette carte',
  'auto.fault': 'Saisissez un montant supérieur à 0.',
  'cards.none': long(
    'Aucune carte n’est enregistrée. En rechargeant, choisissez « Enregistrer cette ',
    'carte pour la prochaine fois ».',
  ),
  'cards.remove': 'Supprimer',
  'cards.removeAsk': long(
    '{card} est supprimée ici et chez le prestataire de paiement. Pour l’utiliser à ',
    'nouveau, saisissez-la de nouveau.',
  ),
  'failure.tooManyCards': 'Vous avez déjà le nombre maximal de cartes. Supprimez-en une d’abord.',
  'failure.noCard': 'Cette carte n’est plus enregistrée.',
  'test.always': '3-D Secure à chaque fois',
  'test.alwaysMeans':
    'La banque demande à chaque paiement ; enregistrée, elle ne peut être débitée sans vous.',
  'test.later': 'Refusée une fois enregistrée',
  'test.laterMeans':
    'Le premier paiement réussit ; les suivants avec la carte enregistrée sont refusés.',
}
