// One form for both: create an account of the shop, or log in to it; who clicked "Log in" has one.
// Whoever wanted to buy before that is taken to the checkout of what they chose.
import { buy, byId, call, during } from '/shop.js'

const form = byId('form')
const wish = new URLSearchParams(location.search)
let isNew = wish.get('as') !== 'known'

byId('other').addEventListener('click', () => {
  isNew = !isNew
  draw()
})
draw()

function draw() {
  byId('title').textContent = isNew ? 'Create an account' : 'Log in'
  byId('submit').textContent = isNew ? 'Create account' : 'Log in'
  byId('other').textContent = isNew ? 'I have an account' : 'I am new here'
  form.elements.password.autocomplete = isNew ? 'new-password' : 'current-password'
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const { email, password } = form.elements
  void during(byId('submit'), async () => {
    const account = { email: email.value, password: password.value }
    await call(isNew ? '/api/register' : '/api/login', account)
    const productId = wish.get('buy')
    if (productId === null) return location.assign(nextPage())
    // The login is done; a product that cannot be ordered is best chosen anew.
    await buy(productId).catch(() => location.assign('/'))
  })
})

/** Only a page of this shop: never an address that somebody put into a link. */
function nextPage() {
  const next = new URL(wish.get('next') ?? '/', location.origin)
  // Whole, and not its path alone: a path may begin with two slashes, which is another host.
  return next.origin === location.origin ? next.href : '/'
}
