/** French: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Choisir un nouveau mot de passe',
  'reset.done':
    'Le nouveau mot de passe est enregistré. Retournez à la boutique et connectez-vous à votre ' +
    'portefeuille avec celui-ci.',
  'reset.unusable':
    'Ce lien a déjà été utilisé ou a expiré. Rien n’a été modifié. Demandez-en un nouveau de la ' +
    'même façon.',
  'reset.forWallet': 'Pour votre portefeuille.',
  'reset.password': 'Nouveau mot de passe',
  'reset.needsPassword': 'Saisissez un nouveau mot de passe.',
  'reset.send': 'Enregistrer le nouveau mot de passe',
}
