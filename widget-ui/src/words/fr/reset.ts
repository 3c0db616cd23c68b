/** French: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Choisir un nouveau mot de passe',
  'reset.done': 'Retournez à la boutique et connectez-vous à votre portefeuille avec celui-ci.',
  'reset.unusable':
    'Il a déjà été utilisé ou a expiré. Rien n’a été modifié. Demandez-en un nouveau de la ' +
    'même façon.',
  'reset.password': 'Nouveau mot de passe',
  'reset.needsPassword': 'Saisissez un nouveau mot de passe.',
  'reset.send': 'Enregistrer le nouveau mot de passe',
  'reset.checking': 'Vérification de votre lien',
  'reset.doneTitle': 'Le nouveau mot de passe est enregistré',
  'reset.unusableTitle': 'Ce lien n’est plus utilisable',
  'reset.account': 'Pour le compte de portefeuille de {account}.',
}
