/**
 * The loader's own card, in place of a frame that shows nothing: what happened and one button. It
 * stands in the host's page behind a shadow root, so that neither styles the other, and is styled
 * element by element, which every Content-Security-Policy allows.
 */
import { ownWords, type Failure } from './diagnosis.js'
import type { WalletWidgetOptions } from './wallet-widget.js'

export interface FailureCard {
  readonly element: HTMLElement
  /** While a try runs; no second click then. */
  setBusy(isBusy: boolean): void
}

export function failureCard(
  { title, message }: Failure,
  { theme, radius, locale }: Pick<WalletWidgetOptions, 'theme' | 'radius' | 'locale'>,
  onAgain: () => void,
): FailureCard {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches
  const isDark = theme === undefined ? prefersDark : theme === 'dark'
  const colours = isDark ? dark : light
  const corner = `${radius ?? 12}px`
  const words = ownWords(locale)
  const heading = part('p', { margin: '0 0 4px', fontWeight: '600', fontSize: '18px' }, title)
  const text = part('p', { margin: '0 0 16px', color: colours.quiet }, message)
  const button = part('button', { ...buttonStyle, ...colours.button }, words.tryAgain)
  button.type = 'button'
  let isTrying = false
  button.addEventListener('click', () => isTrying || onAgain())
  const card = part('div', { ...cardStyle, ...colours.card, borderRadius: corner })
  card.setAttribute('role', 'alert')
  card.append(heading, text, button)
  const element = part('div', { padding: '16px' })
  element.attachShadow({ mode: 'open' }).append(card)
  return {
    element,
    setBusy: (isBusy) => {
      isTrying = isBusy
      button.textContent = isBusy ? words.trying : words.tryAgain
      // Not `disabled`, which would throw a keyboard's user back to the top of the page.
      button.setAttribute('aria-disabled', String(isBusy))
    },
  }
}

type Style = Readonly<Partial<Record<keyof CSSStyleDeclaration & string, string>>>

const cardStyle: Style = {
  boxSizing: 'border-box',
  maxWidth: '520px',
  margin: '0 auto',
  padding: '24px',
  border: '1px solid',
  font: '15px/1.5 system-ui, sans-serif',
  textAlign: 'start',
}

const buttonStyle: Style = {
  minHeight: '44px',
  padding: '8px 16px',
  border: '1px solid',
  borderRadius: '8px',
  font: 'inherit',
  fontWeight: '600',
  cursor: 'pointer',
}

/** As the tokens of the wallet's own pages. */
const light = {
  card: { background: '#ffffff', color: '#14171d', borderColor: '#dde1e8' },
  quiet: '#525a68',
  button: { background: '#ffffff', color: '#14171d', borderColor: '#858d9b' },
}

const dark = {
  card: { background: '#161a21', color: '#e9ebef', borderColor: '#2b323d' },
  quiet: '#a7afbc',
  button: { background: '#161a21', color: '#e9ebef', borderColor: '#6d7788' },
}

function part<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  style: Style,
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  Object.assign(element.style, style)
  element.textContent = text
  return element
}
