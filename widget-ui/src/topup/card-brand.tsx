/**
 * The picture of a card's brand: shapes in the brands' own colours, drawn here. Its name is read
 * out and is the same in every language; a number that is of no known brand is a plain card.
 */
import { brands, type CardBrandName } from './card-brands.js'

export interface CardBrandProps {
  readonly brand: CardBrandName | undefined
  /** The number beside it says enough: nothing is read out. */
  readonly isSilent?: boolean
}

export function CardBrand({ brand, isSilent = false }: CardBrandProps) {
  const name = isSilent ? undefined : brands.find((one) => one.brand === brand)?.name
  const spoken = name === undefined ? { 'aria-hidden': 'true' as const } : { role: 'img' as const }
  return (
    <svg class="card-brand" viewBox="0 0 38 24" aria-label={name} {...spoken}>
      <rect class="card-brand-ground" x="0.5" y="0.5" width="37" height="23" rx="3.5" />
      <Drawing brand={brand} />
    </svg>
  )
}

function Drawing({ brand }: { brand: CardBrandName | undefined }) {
  switch (brand) {
    case 'visa':
      return <Letters text="VISA" fill="#1434cb" />
    case 'mastercard':
      return (
        <>
          <circle cx="15" cy="12" r="6.5" fill="#eb001b" />
          <circle cx="23" cy="12" r="6.5" fill="#f79e1b" />
          <path fill="#ff5f00" d="M19 6.9a6.5 6.5 0 0 1 0 10.2 6.5 6.5 0 0 1 0-10.2z" />
        </>
      )
    case 'amex':
      return (
        <>
          <rect x="1" y="1" width="36" height="22" rx="3" fill="#006fcf" />
          <Letters text="AMEX" fill="#ffffff" />
        </>
      )
    case 'discover':
      return (
        <>
          <path fill="#f76b1c" d="M37 13c-6 5-14 8-25 10h22a3 3 0 0 0 3-3z" />
          <circle cx="19" cy="11" r="4" fill="#f76b1c" />
        </>
      )
    case 'diners':
      return (
        <>
          <circle cx="19" cy="12" r="7" fill="#0079be" />
          <path fill="#ffffff" d="M17 7.5a5 5 0 0 0 0 9zm4 0a5 5 0 0 1 0 9z" />
        </>
      )
    case 'jcb':
      return (
        <>
          <rect x="8" y="5" width="6" height="14" rx="2" fill="#0b4ea2" />
          <rect x="16" y="5" width="6" height="14" rx="2" fill="#c8102e" />
          <rect x="24" y="5" width="6" height="14" rx="2" fill="#00843d" />
        </>
      )
    case undefined:
      return <path class="card-brand-none" d="M1 8h36M5 16h8" />
  }
}

function Letters({ text, fill }: { text: string; fill: string }) {
  return (
    <text class="card-brand-name" x="19" y="15.6" fill={fill}>
      {text}
    </text>
  )
}
