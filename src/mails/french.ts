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
  notYou:
    'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe : « Mot de ' +
    'passe oublié ? » à la connexion.',
  'confirm.subject': '{service} : confirmer votre adresse e-mail',
  'confirm.lead': 'Ouvrez le lien pour confirmer que cette adresse est la vôtre.',
  'confirm.link': 'Il fonctionne une fois, pendant un jour :',
  'confirm.notYou': 'Si vous ne l’avez pas demandé, ne faites rien.',
  'login.subject': '{service} : nouvelle connexion',
  'login.lead': 'Quelqu’un s’est connecté à votre portefeuille : {device}, sur la page de {app}.',
  'password.subject': '{service} : nouveau mot de passe',
  'password.lead': 'Le mot de passe de votre portefeuille a été changé.',
  'emailAsked.subject': '{service} : une autre adresse a été demandée',
  'emailAsked.lead': 'Votre portefeuille recevra l’adresse {email} dès qu’elle sera confirmée.',
  'emailChanged.subject': '{service} : nouvelle adresse e-mail',
  'emailChanged.lead':
    'L’adresse de votre portefeuille est maintenant {email}. Celle-ci n’est plus utilisée.',
  'closed.subject': '{service} : votre compte est fermé',
  'closed.lead': 'Jusqu’au {date}, une connexion le rouvre. Ensuite il est effacé.',
  'reopened.subject': '{service} : votre compte est rouvert',
  'reopened.lead': 'Une connexion a rouvert le compte que vous aviez fermé.',
  'money.subject': '{service} : de l’argent dans votre portefeuille fermé',
  'money.lead':
    'De l’argent est arrivé dans le portefeuille que vous avez fermé. Il est à vous : ' +
    'connectez-vous.',
  'money.kept': 'Le compte n’est pas effacé tant qu’il contient de l’argent.',
  'cardSaved.subject': '{service} : carte enregistrée',
  'cardSaved.lead':
    'La carte {card} a été enregistrée. Une fois connecté, vous payez avec elle en un geste.',
  'cardRemoved.subject': '{service} : carte supprimée',
  'cardRemoved.lead': 'La carte {card} a été supprimée. Elle ne peut plus être débitée ici.',
  'autoOn.subject': '{service} : la recharge automatique est activée',
  'autoOn.lead':
    'Quand votre solde passe sous le montant choisi, votre carte enregistrée est débitée.',
  'autoOff.subject': '{service} : la recharge automatique est désactivée',
  'autoOff.lead':
    'Votre banque a refusé deux fois la recharge automatique. Elle est désactivée et ' +
    'rien n’a été débité.',
  'autoOff.next':
    'Connectez-vous pour recharger vous-même ou pour la réactiver avec une autre carte.',
  'returned.subject': '{service} : de l’argent retourne sur votre carte',
  'returned.lead':
    'Ce qui avait été payé par carte et restait dans votre portefeuille retourne sur la carte ' +
    'd’origine. Les banques prennent jusqu’à dix jours.',
}
