/**
 * The version of Stripe's API that the adapter and the sandbox speak. A newer library does not
 * compile with it until someone has read what changed.
 */
export const stripeApiVersion = '2026-10-28.endive'
