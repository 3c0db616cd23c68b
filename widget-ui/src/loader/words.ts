/**
 * What the loader itself says, in every language: when nothing answers, nothing can be fetched, so
 * all of it is inside the script. Values only.
 */
import { chooseSpeech, type Language } from '../words/languages.js'

export interface LoaderWords {
  /** What a screen reader calls the frame. */
  readonly wallet: string
  readonly tryAgain: string
  readonly trying: string
  readonly offline: string
  readonly comesBack: string
  readonly noAnswer: string
  readonly notOpened: string
  readonly weKeepTrying: string
  readonly noPayment: string
  readonly notHere: string
  readonly notSetUp: string
  readonly logIn: string
  readonly notByItself: string
}

const words: Readonly<Record<Language, LoaderWords>> = {
  en: {
    wallet: 'Wallet',
    tryAgain: 'Try again',
    trying: 'Trying…',
    offline: 'You are offline',
    comesBack: 'The wallet comes back with your connection.',
    noAnswer: 'The wallet does not answer',
    notOpened: 'The wallet did not open',
    weKeepTrying: 'We keep trying.',
    noPayment: 'Your money is safe. A payment that was under way goes on; do not pay again.',
    notHere: 'The wallet cannot be shown here',
    notSetUp: 'This page is not set up for the wallet. Your money is safe. Please tell its owner.',
    logIn: 'Log in to your wallet',
    notByItself: 'This page could not open your wallet by itself.',
  },
  de: {
    wallet: 'Wallet',
    tryAgain: 'Erneut versuchen',
    trying: 'Wird versucht…',
    offline: 'Sie sind offline',
    comesBack: 'Die Wallet kommt mit Ihrer Verbindung zurück.',
    noAnswer: 'Die Wallet antwortet nicht',
    notOpened: 'Die Wallet hat sich nicht geöffnet',
    weKeepTrying: 'Wir versuchen es weiter.',
    noPayment:
      'Ihr Geld ist sicher. Eine begonnene Zahlung läuft weiter; bezahlen Sie nicht noch einmal.',
    notHere: 'Die Wallet kann hier nicht gezeigt werden',
    notSetUp:
      'Diese Seite ist nicht für die Wallet eingerichtet. Ihr Geld ist sicher. Bitte sagen Sie ' +
      'dem Betreiber Bescheid.',
    logIn: 'Melden Sie sich in Ihrer Wallet an',
    notByItself: 'Diese Seite konnte Ihre Wallet nicht von selbst öffnen.',
  },
  fr: {
    wallet: 'Portefeuille',
    tryAgain: 'Réessayer',
    trying: 'Nouvelle tentative…',
    offline: 'Vous êtes hors ligne',
    comesBack: 'Le portefeuille reviendra avec votre connexion.',
    noAnswer: 'Le portefeuille ne répond pas',
    notOpened: 'Le portefeuille ne s’est pas ouvert',
    weKeepTrying: 'Nous réessayons.',
    noPayment:
      'Votre argent est en sécurité. Un paiement en cours se poursuit ; ne payez pas à nouveau.',
    notHere: 'Le portefeuille ne peut pas être affiché ici',
    notSetUp:
      'Cette page n’est pas configurée pour le portefeuille. Votre argent est en sécurité. ' +
      'Prévenez son propriétaire.',
    logIn: 'Connectez-vous à votre portefeuille',
    notByItself: 'Cette page n’a pas pu ouvrir votre portefeuille d’elle-même.',
  },
  es: {
    wallet: 'Monedero',
    tryAgain: 'Intentar de nuevo',
    trying: 'Intentando…',
    offline: 'No hay conexión',
    comesBack: 'El monedero volverá cuando vuelva su conexión.',
    noAnswer: 'El monedero no responde',
    notOpened: 'El monedero no se ha abierto',
    weKeepTrying: 'Seguimos intentándolo.',
    noPayment: 'Su dinero está a salvo. Un pago en curso continúa; no pague otra vez.',
    notHere: 'El monedero no se puede mostrar aquí',
    notSetUp:
      'Esta página no está preparada para el monedero. Su dinero está a salvo. Avise a su ' +
      'propietario.',
    logIn: 'Inicie sesión en su monedero',
    notByItself: 'Esta página no ha podido abrir su monedero por sí sola.',
  },
  pt: {
    wallet: 'Carteira',
    tryAgain: 'Tentar novamente',
    trying: 'Tentando…',
    offline: 'Sem conexão',
    comesBack: 'A carteira volta quando a sua conexão voltar.',
    noAnswer: 'A carteira não responde',
    notOpened: 'A carteira não abriu',
    weKeepTrying: 'Continuamos tentando.',
    noPayment: 'O seu dinheiro está seguro. Um pagamento em andamento continua; não pague de novo.',
    notHere: 'A carteira não pode ser mostrada aqui',
    notSetUp:
      'Esta página não está preparada para a carteira. O seu dinheiro está seguro. Avise o ' +
      'proprietário da página.',
    logIn: 'Entre na sua carteira',
    notByItself: 'Esta página não conseguiu abrir a sua carteira sozinha.',
  },
  pl: {
    wallet: 'Portfel',
    tryAgain: 'Spróbuj ponownie',
    trying: 'Trwa próba…',
    offline: 'Brak połączenia z internetem',
    comesBack: 'Portfel wróci razem z połączeniem.',
    noAnswer: 'Portfel nie odpowiada',
    notOpened: 'Portfel się nie otworzył',
    weKeepTrying: 'Próbujemy dalej.',
    noPayment: 'Pieniądze są bezpieczne. Rozpoczęta płatność trwa dalej; nie płać ponownie.',
    notHere: 'Portfela nie można tu pokazać',
    notSetUp:
      'Ta strona nie jest przygotowana do pokazania portfela. Pieniądze są bezpieczne. Powiadom ' +
      'jej właściciela.',
    logIn: 'Zaloguj się do portfela',
    notByItself: 'Ta strona nie mogła sama otworzyć portfela.',
  },
}

/** The first wish that names one of the languages. */
export function loaderWords(wishes: readonly (string | undefined)[]): LoaderWords {
  return words[chooseSpeech(wishes).language]
}
