/**
 * Labels and days in words. Values only, so that tests need no browser. Never: translates a label;
 * it says what the client app wrote, in a readable form.
 */

/** ORDER_PAYMENT → "Order payment". */
export function inWords(label: string): string {
  const words = label.replaceAll(/[_-]+/g, ' ').trim().toLowerCase()
  return words === '' ? label : words.charAt(0).toUpperCase() + words.slice(1)
}
