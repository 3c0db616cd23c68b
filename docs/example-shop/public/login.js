// One form for both: create an account of the shop, or log in to it.
import { byId, call, during } from '/shop.js'

const form = byId('form')
let isNew = true

byId('other').addEventListener('click', () => {
  isNew = !isNew
  byId('title').textContent = isNew ? 'Create an account' : 'Log in'
  byId('submit').textContent = isNew ? 'Create account' : 'Log in'
  byId('other').textContent = isNew ? 'I have an account' : 'I am new here'
  form.elements.password.autocomplete = isNew ? 'new-password' : 'current-password'
})

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const { email, password } = form.elements
  void during(byId('submit'), async () => {
    const account = { email: email.value, password: password.value }
    await call(isNew ? '/api/register' : '/api/login', account)
    location.assign(nextPage())
  })
})

/** Only a page of this shop: never an address that somebody put into a link. */
function nextPage() {
  const next = new URL(new URLSearchParams(location.search).get('next') ?? '/', location.origin)
  // Whole, and not its path alone: a path may begin with two slashes, which is another host.
  return next.origin === location.origin ? next.href : '/'
}
