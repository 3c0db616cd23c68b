/** French: sign-up, login and the forgotten password. */
import type { Like } from '../catalog.js'
import type { signIn as english } from '../en/sign-in.js'

export const signIn: Like<typeof english> = {
  'signIn.title': 'Votre portefeuille chez {brand}',
  'signIn.why':
    '{brand} accepte les paiements depuis ce portefeuille. Connectez-vous, ou inscrivez-vous ' +
    'une seule fois ; votre mot de passe est transmis au service du portefeuille uniquement, ' +
    '{brand} ne le voit jamais.',
  'signIn.switched':
    'Vous avez quitté l’autre compte. Connectez-vous avec celui que vous voulez utiliser ici.',
  'signIn.logIn': 'Se connecter',
  'signIn.signUp': 'S’inscrire',
  'signIn.tabs': 'Se connecter ou s’inscrire',
  'signIn.firstName': 'Prénom',
  'signIn.lastName': 'Nom',
  'signIn.email': 'Adresse e-mail',
  'signIn.password': 'Mot de passe',
  'signIn.passwordHint': 'Au moins {minimum} caractères ; une phrase convient bien.',
  'signIn.needsFirstName': 'Saisissez votre prénom.',
  'signIn.needsLastName': 'Saisissez votre nom.',
  'signIn.needsEmail': 'Saisissez votre adresse e-mail.',
  'signIn.needsPassword': 'Saisissez votre mot de passe.',
  'signIn.exists':
    'Il existe déjà un portefeuille avec cette adresse e-mail. Connectez-vous avec celle-ci ; ' +
    'aucun second portefeuille n’a été créé.',
  'signIn.logInInstead': 'Se connecter plutôt',
  'signIn.forgot': 'Mot de passe oublié ?',
  'forgot.title': 'Un nouveau mot de passe',
  'forgot.asked':
    'S’il existe un portefeuille avec cette adresse e-mail, un lien vient d’y être envoyé. ' +
    'Ouvrez-le, choisissez un nouveau mot de passe, puis revenez vous connecter. Toujours pas ' +
    'd’e-mail après quelques minutes ? Demandez un lien à {contact}.',
  'forgot.how':
    'Nous envoyons à votre adresse e-mail un lien pour choisir un nouveau mot de passe.',
  'forgot.send': 'Envoyer le lien',
  'forgot.noMail':
    'Ce service de portefeuille n’envoie pas d’e-mails : demandez aux personnes qui le gèrent ' +
    'un lien pour choisir un nouveau mot de passe ; {brand} peut vous dire comment les joindre.',
  'forgot.back': 'Retour à la connexion',
  'forgot.askSupport':
    'Aucun e-mail n’est envoyé d’ici. Écrivez à {support}, indiquez l’adresse e-mail de votre ' +
    'compte et demandez un lien pour choisir un nouveau mot de passe.',
}
