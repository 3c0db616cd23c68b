/**
 * The one table from code to status, with the text that people read. What an answer with such a
 * code looks like is schemas/answers/error-bodies.ts.
 */
export interface ErrorRow {
  readonly status: number
  /** Where the contract gives the same code another status on debit and credit. */
  readonly commandStatus?: number
  readonly text: string
  readonly requiresAuth?: true
  readonly retryAfter?: true
}

const newReference = 'A new attempt needs a new referenceId.'

export const errorTable = {
  INVALID_REQUEST: { status: 400, text: 'The request is not valid.' },
  INSUFFICIENT_BALANCE: { status: 400, text: `The balance is not sufficient. ${newReference}` },
  REFUND_EXCEEDS_DEBIT: {
    status: 400,
    text: `The refund is more than what is left of the debit. ${newReference}`,
  },
  CAPTURE_EXCEEDS_HOLD: {
    status: 400,
    text: `The capture is more than what is left of the hold. ${newReference}`,
  },
  TOO_MANY_HOLDS: {
    status: 400,
    text: `The wallet has as many open holds as it may have. ${newReference}`,
  },
  BALANCE_LIMIT_EXCEEDED: {
    status: 400,
    text: `The balance would exceed what a wallet can hold. ${newReference}`,
  },
  INVALID_RESET_TOKEN: {
    status: 400,
    text: 'This link was used or has expired. Ask for a new one.',
  },
  INVALID_EMAIL_TOKEN: {
    status: 400,
    text: 'This link was used or has expired. Ask for a new one in your account.',
  },
  TOO_MANY_ENTRIES: { status: 400, text: 'This is more than one file holds. Choose less.' },
  TOPUP_LIMIT: { status: 400, text: 'The amount is not within the limits of a top-up.' },
  INVALID_SIGNATURE: { status: 400, text: 'The webhook has no valid signature of this moment.' },
  INVALID_LINK_PROOF: { status: 400, text: 'The link proof is unknown, used or expired.' },
  INVALID_CLIENT: { status: 401, text: 'The client credentials are not valid.' },
  SESSION_EXPIRED: { status: 401, text: 'The session has expired.' },
  INVALID_LOGIN: { status: 401, text: 'The email or the password is not right.' },
  INVALID_TOKEN: { status: 401, text: 'The bearer token is not valid.' },
  ADMIN_SESSION_REQUIRED: { status: 401, text: 'Log in to the admin area first.' },
  USER_NOT_FOUND: {
    status: 401,
    commandStatus: 404,
    text: 'The user is not known; they need to sign in.',
    requiresAuth: true,
  },
  INSUFFICIENT_SCOPE: { status: 403, text: 'The client app does not have the scope for this.' },
  ORIGIN_NOT_ALLOWED: { status: 403, text: 'This origin may not embed the wallet.' },
  SESSION_MISMATCH: { status: 403, text: 'The new session is of another user or app, or ended.' },
  CSRF_TOKEN_INVALID: { status: 403, text: 'This page is out of date. Load it again.' },
  ADMIN_ROLE_REQUIRED: { status: 403, text: 'An auditor may look, but change nothing.' },
  LOGIN_REQUIRED: { status: 403, text: 'Only the person may see this. Give the password first.' },
  WRONG_PASSWORD: { status: 403, text: 'The password is not right.' },
  WALLET_INACTIVE: { status: 403, text: `The wallet is not active. ${newReference}` },
  NOT_FOUND: { status: 404, text: 'There is nothing at this address.' },
  TOPUP_NOT_FOUND: { status: 404, text: 'This wallet has no such top-up.' },
  CARD_NOT_FOUND: { status: 404, text: 'There is no such saved card.' },
  ENTRY_NOT_FOUND: { status: 404, text: 'This wallet has no such entry.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This address does not take this method.' },
  ACCOUNT_EXISTS: { status: 409, text: 'There is an account with this email. Log in instead.' },
  TOO_MANY_CARDS: { status: 409, text: 'There are as many saved cards as there may be.' },
  HOLD_CLOSED: {
    status: 409,
    text: `The hold was used up, released or expired, or there never was one. ${newReference}`,
  },
  VOIDED: { status: 409, text: `This reference was voided; nothing was booked. ${newReference}` },
  PROOF_NOT_READY: {
    status: 409,
    text: 'Nothing of this wallet is signed yet. Try again in an hour.',
  },
  WALLET_NOT_EMPTY: {
    status: 409,
    text: 'There is money in the wallet or on its way. Nothing was closed.',
  },
  REQUEST_TIMEOUT: { status: 408, text: 'The request took too long to arrive.' },
  PAYLOAD_TOO_LARGE: { status: 413, text: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'The body must be application/json.' },
  TOO_MANY_TRIES: { status: 429, text: 'Too many tries. Wait a while, then try again.' },
  TOO_MANY_REQUESTS: {
    status: 429,
    text: 'Too much at once. Come back in a moment; repeating with the same reference is safe.',
    retryAfter: true,
  },
  HEADERS_TOO_LARGE: { status: 431, text: 'The address or the headers are too long.' },
  INTERNAL: { status: 500, text: 'Something went wrong on our side.' },
  TOPUP_UNAVAILABLE: {
    status: 503,
    text: 'Card payments are not possible now. What was paid is booked later by itself.',
    retryAfter: true,
  },
  UPGRADE_UNFINISHED: {
    status: 503,
    text:
      'Holds are not switched on here yet: the operator has to run "wallet upgrade finish", ' +
      'once no process of the release before is left. Nothing was done.',
    retryAfter: true,
  },
  UNAVAILABLE: {
    status: 503,
    text: 'The service cannot answer now. Repeating with the same reference is safe.',
    retryAfter: true,
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable
