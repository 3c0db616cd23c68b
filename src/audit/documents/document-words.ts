/**
 * The words of statements and receipts, in every language that the pages have. Promises: each
 * language has each word, by its type. `{name}` stands for a value.
 */
export const documentLanguages = ['en', 'de', 'fr', 'es', 'pt', 'pl'] as const

export type DocumentLanguage = (typeof documentLanguages)[number]

export interface DocumentWords {
  readonly statement: string
  readonly receipt: string
  readonly account: string
  readonly wallet: string
  readonly period: string
  readonly opening: string
  readonly moneyIn: string
  readonly moneyOut: string
  readonly closing: string
  readonly date: string
  readonly entry: string
  readonly amount: string
  readonly balance: string
  readonly nothing: string
  readonly page: string
  readonly made: string
  readonly check: string
  readonly app: string
  readonly reference: string
  readonly entryId: string
  readonly balanceAfter: string
  readonly whatFor: string
  readonly kinds: Readonly<Record<Kind, string>>
}

/** What an entry is, in the words of people. */
export type Kind = 'payment' | 'credit' | 'topUp' | 'topUpTaken' | 'topUpRestored' | 'bonus'

export const documentWords: Readonly<Record<DocumentLanguage, DocumentWords>> = {
  en: {
    statement: 'Statement',
    receipt: 'Receipt',
    account: 'Account',
    wallet: 'Wallet',
    period: 'Period',
    opening: 'Balance at the start',
    moneyIn: 'Money in',
    moneyOut: 'Money out',
    closing: 'Balance at the end',
    date: 'Date',
    entry: 'Entry',
    amount: 'Amount',
    balance: 'Balance',
    nothing: 'No money moved in this period.',
    page: 'Page {page} of {pages}',
    made: 'Made on {time} ({zone})',
    check: 'Replayed up to event {revision}, {hash}. Download your proof to check it at {address}',
    app: 'App',
    reference: 'Reference',
    entryId: 'Entry number',
    balanceAfter: 'Balance after',
    whatFor: 'What for',
    kinds: {
      payment: 'Payment',
      credit: 'Credit',
      topUp: 'Top-up by card',
      topUpTaken: 'Top-up taken back',
      topUpRestored: 'Top-up restored',
      bonus: 'Bonus',
    },
  },
  de: {
    statement: 'Kontoauszug',
    receipt: 'Beleg',
    account: 'Konto',
    wallet: 'Wallet',
    period: 'Zeitraum',
    opening: 'Anfangsstand',
    moneyIn: 'Eingänge',
    moneyOut: 'Ausgänge',
    closing: 'Endstand',
    date: 'Datum',
    entry: 'Buchung',
    amount: 'Betrag',
    balance: 'Guthaben',
    nothing: 'In diesem Zeitraum wurde kein Geld bewegt.',
    page: 'Seite {page} von {pages}',
    made: 'Erstellt am {time} ({zone})',
    check:
      'Nachgerechnet bis Ereignis {revision}, {hash}. Mit Ihrem Nachweis prüfbar unter {address}',
    app: 'App',
    reference: 'Referenz',
    entryId: 'Buchungsnummer',
    balanceAfter: 'Guthaben danach',
    whatFor: 'Wofür',
    kinds: {
      payment: 'Zahlung',
      credit: 'Gutschrift',
      topUp: 'Aufladung per Karte',
      topUpTaken: 'Aufladung zurückgebucht',
      topUpRestored: 'Aufladung wiederhergestellt',
      bonus: 'Bonus',
    },
  },
  fr: {
    statement: 'Relevé',
    receipt: 'Reçu',
    account: 'Compte',
    wallet: 'Portefeuille',
    period: 'Période',
    opening: 'Solde au début',
    moneyIn: 'Entrées',
    moneyOut: 'Sorties',
    closing: 'Solde à la fin',
    date: 'Date',
    entry: 'Opération',
    amount: 'Montant',
    balance: 'Solde',
    nothing: 'Aucun mouvement pendant cette période.',
    page: 'Page {page} sur {pages}',
    made: 'Établi le {time} ({zone})',
    check:
      'Recalculé jusqu’à l’événement {revision}, {hash}. Vérifiable avec votre preuve : {address}',
    app: 'Application',
    reference: 'Référence',
    entryId: 'Numéro d’opération',
    balanceAfter: 'Solde après',
    whatFor: 'Objet',
    kinds: {
      payment: 'Paiement',
      credit: 'Crédit',
      topUp: 'Recharge par carte',
      topUpTaken: 'Recharge annulée',
      topUpRestored: 'Recharge rétablie',
      bonus: 'Bonus',
    },
  },
  es: {
    statement: 'Extracto',
    receipt: 'Recibo',
    account: 'Cuenta',
    wallet: 'Monedero',
    period: 'Período',
    opening: 'Saldo inicial',
    moneyIn: 'Entradas',
    moneyOut: 'Salidas',
    closing: 'Saldo final',
    date: 'Fecha',
    entry: 'Movimiento',
    amount: 'Importe',
    balance: 'Saldo',
    nothing: 'No hubo movimientos en este período.',
    page: 'Página {page} de {pages}',
    made: 'Emitido el {time} ({zone})',
    check: 'Recalculado hasta el evento {revision}, {hash}. Compruébelo con su prueba en {address}',
    app: 'Aplicación',
    reference: 'Referencia',
    entryId: 'Número de movimiento',
    balanceAfter: 'Saldo posterior',
    whatFor: 'Concepto',
    kinds: {
      payment: 'Pago',
      credit: 'Abono',
      topUp: 'Recarga con tarjeta',
      topUpTaken: 'Recarga retirada',
      topUpRestored: 'Recarga restablecida',
      bonus: 'Bono',
    },
  },
  pt: {
    statement: 'Extrato',
    receipt: 'Recibo',
    account: 'Conta',
    wallet: 'Carteira',
    period: 'Período',
    opening: 'Saldo inicial',
    moneyIn: 'Entradas',
    moneyOut: 'Saídas',
    closing: 'Saldo final',
    date: 'Data',
    entry: 'Movimento',
    amount: 'Valor',
    balance: 'Saldo',
    nothing: 'Não houve movimentos neste período.',
    page: 'Página {page} de {pages}',
    made: 'Emitido em {time} ({zone})',
    check: 'Recalculado até ao evento {revision}, {hash}. Verifique com a sua prova em {address}',
    app: 'Aplicação',
    reference: 'Referência',
    entryId: 'Número do movimento',
    balanceAfter: 'Saldo depois',
    whatFor: 'Descrição',
    kinds: {
      payment: 'Pagamento',
      credit: 'Crédito',
      topUp: 'Carregamento por cartão',
      topUpTaken: 'Carregamento retirado',
      topUpRestored: 'Carregamento reposto',
      bonus: 'Bónus',
    },
  },
  pl: {
    statement: 'Wyciąg',
    receipt: 'Potwierdzenie',
    account: 'Konto',
    wallet: 'Portfel',
    period: 'Okres',
    opening: 'Saldo początkowe',
    moneyIn: 'Wpływy',
    moneyOut: 'Wydatki',
    closing: 'Saldo końcowe',
    date: 'Data',
    entry: 'Operacja',
    amount: 'Kwota',
    balance: 'Saldo',
    nothing: 'W tym okresie nie było żadnych operacji.',
    page: 'Strona {page} z {pages}',
    made: 'Sporządzono {time} ({zone})',
    check:
      'Przeliczono do zdarzenia {revision}, {hash}. Sprawdź za pomocą dowodu na stronie {address}',
    app: 'Aplikacja',
    reference: 'Numer referencyjny',
    entryId: 'Numer operacji',
    balanceAfter: 'Saldo po operacji',
    whatFor: 'Tytuł',
    kinds: {
      payment: 'Płatność',
      credit: 'Uznanie',
      topUp: 'Doładowanie kartą',
      topUpTaken: 'Cofnięte doładowanie',
      topUpRestored: 'Przywrócone doładowanie',
      bonus: 'Bonus',
    },
  },
}

/** A sentence with its values in their places. */
export function filled(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
}
