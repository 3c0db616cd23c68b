// The list of products; buying one makes an order and leads to its checkout.
import { attempt, buy, byId, call, during, make, moneyMinor } from '/shop.js'

const shapes = {
  notebook: 'M44 24h36a4 4 0 0 1 4 4v56a4 4 0 0 1-4 4H44zM44 24v64M52 40h22M52 50h22M52 60h14',
  pen: 'M36 84l6-18 34-42 12 10-34 42zM42 66l12 10M76 24l6-6 12 10-6 6',
  ink: 'M50 26h20v12l14 14v36H36V52l14-14zM36 64h48M54 18h12v8H54z',
  cards: 'M30 38h60v44H30zM30 38l30 24 30-24M40 38V28h40v10',
}

await attempt(async () => {
  const { products } = await call('/api/products')
  byId('products').append(...products.map(card))
})

function card({ id, title, detail, priceMinor, picture }) {
  const button = make('button', { text: 'Buy', 'aria-label': `Buy ${title}` })
  button.addEventListener('click', () => during(button, () => buy(id)))
  return make(
    'li',
    { class: 'card' },
    drawing(shapes[picture]),
    make('h2', { text: title }),
    make('p', { class: 'detail', text: detail }),
    make(
      'div',
      { class: 'row' },
      make('span', { class: 'price', text: moneyMinor(priceMinor) }),
      button,
    ),
  )
}

function drawing(path) {
  const namespace = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(namespace, 'svg')
  const line = document.createElementNS(namespace, 'path')
  const attributes = { viewBox: '0 0 120 112', fill: 'none', stroke: 'currentColor' }
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value)
  for (const [name, value] of Object.entries({ d: path, 'stroke-width': '2.5' }))
    line.setAttribute(name, value)
  line.setAttribute('stroke-linejoin', 'round')
  svg.append(line)
  return make('div', { class: 'picture', 'aria-hidden': 'true' }, svg)
}
