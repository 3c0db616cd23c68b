/** What the shop sells. Prices are whole numbers in minor units (cents), so that sums are exact. */
export const products = [
  {
    id: 'notebook',
    title: 'Dotted notebook',
    detail: '160 pages that lie flat',
    priceMinor: 1_290,
    picture: 'notebook',
  },
  {
    id: 'pen',
    title: 'Brass fountain pen',
    detail: 'Fine nib, refillable',
    priceMinor: 3_450,
    picture: 'pen',
  },
  {
    id: 'ink',
    title: 'Blue-black ink',
    detail: '50 ml, dries in four seconds',
    priceMinor: 990,
    picture: 'ink',
  },
  {
    id: 'cards',
    title: 'Letterpress cards',
    detail: 'Eight cards with envelopes',
    priceMinor: 1_800,
    picture: 'cards',
  },
]
