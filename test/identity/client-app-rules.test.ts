import t from 'tap'
import { checkClientApp, usableOrigins } from '../../src/identity/client-app-rules.js'
import type { ClientAppInput, Scope } from '../../src/identity/client-app-rules.js'
import { InvalidFieldError } from '../../src/identity/invalid-field-error.js'
import { originsMax } from '../../src/limits.js'

function fieldOf(input: Partial<ClientAppInput>, production = false): string | undefined {
  try {
    checkClientApp(input, { production })
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidFieldError)) throw error
    return error.field
  }
}

function isAllowed(origin: string, production = false): boolean {
  return fieldOf({ allowedOrigins: [origin] }, production) === undefined
}

t.test('exact https origins are allowed everywhere', (t) => {
  for (const origin of [
    'https://shop.example',
    'https://shop.example:8443',
    'https://a-b.c.shop.example',
    'https://xn--mller-kva.example',
    'https://192.0.2.7',
  ])
    for (const production of [false, true]) t.ok(isAllowed(origin, production), origin)
  t.end()
})

t.test('http is allowed for this machine in development and never in production', (t) => {
  for (const origin of ['http://localhost', 'http://localhost:3000', 'http://127.0.0.1:8080']) {
    t.ok(isAllowed(origin), origin)
    t.notOk(isAllowed(origin, true), origin)
  }
  t.notOk(isAllowed('http://shop.example'))
  t.notOk(isAllowed('http://localhost.example'))
  t.notOk(isAllowed('http://192.168.0.1'))
  t.end()
})

t.test('whatever is not an exact origin is refused', (t) => {
  for (const origin of [
    '',
    'null',
    '*',
    'shop.example',
    '//shop.example',
    'https://',
    'https://shop.example/',
    'https://shop.example/path',
    'https://shop.example?query',
    'https://shop.example#part',
    'https://user@shop.example',
    'https://Shop.example',
    'HTTPS://shop.example',
    'https://shop.example:443',
    'https://müller.example',
    'https://*.shop.example',
    'https://shop.example:*',
    ' https://shop.example',
    'https://shop.example ',
    'https://shop.example\n',
    'https://shop.example\0',
    'https://[::1]',
    'ftp://shop.example',
    'file:///shop',
    'javascript:alert(1)',
    `https://${'a'.repeat(300)}.example`,
  ])
    t.notOk(isAllowed(origin), JSON.stringify(origin))
  t.end()
})

t.test('an origin cannot smuggle anything into a header', (t) => {
  for (const character of [';', ',', "'", '"', '(', ')', '=', '!', '$', '&', '_', '~', '{', '|'])
    t.notOk(isAllowed(`https://a${character}b.example`), character)
  t.end()
})

t.test('a fault names the field and the place in the list', (t) => {
  const list = ['https://one.example', 'https://two.example/']
  t.equal(fieldOf({ allowedOrigins: list }), 'allowedOrigins[1]')
  t.equal(fieldOf({ allowedIframeParents: list }), 'allowedIframeParents[1]')
  t.equal(fieldOf({ scopes: ['wallet:read', 'wallet:steal' as Scope] }), 'scopes[1]')
  t.equal(fieldOf({ name: '' }), 'name')
  t.throws(() => checkClientApp({ allowedOrigins: list }, { production: true }), {
    message: /^allowedOrigins\[1\] must be .*: write it as https:\/\/two\.example$/,
  })
  t.end()
})

t.test('lists are bounded and hold nothing twice', (t) => {
  const origins = Array.from({ length: originsMax + 1 }, (_, index) => `https://s${index}.example`)
  t.equal(fieldOf({ allowedOrigins: origins }), 'allowedOrigins')
  t.equal(fieldOf({ allowedOrigins: origins.slice(1) }), undefined)
  t.equal(
    fieldOf({ allowedOrigins: ['https://one.example', 'https://one.example'] }),
    'allowedOrigins[1]',
  )
  t.equal(fieldOf({ allowedOrigins: [], allowedIframeParents: [] }), undefined)
  t.end()
})

t.test('an app has at least one scope, each of the two at most once', (t) => {
  t.equal(fieldOf({ scopes: [] }), 'scopes')
  t.equal(fieldOf({ scopes: ['wallet:read', 'wallet:read'] }), 'scopes[1]')
  t.equal(fieldOf({ scopes: ['wallet:write'] }), undefined)
  t.end()
})

t.test('a name has 1 to 100 characters of well-formed text', (t) => {
  for (const name of ['', '  ', 'a'.repeat(101), 'a\0b', 'a\ud800b', '😀'.repeat(101)])
    t.equal(fieldOf({ name }), 'name', JSON.stringify(name))
  for (const name of ['a', 'a'.repeat(100), '😀'.repeat(100), 'Ünïcode & Söhne'])
    t.equal(fieldOf({ name }), undefined, name)
  t.end()
})

t.test('a brand has 1 to 60 characters, a colour # and six digits, and both may be none', (t) => {
  for (const brandName of ['', ' ', 'a'.repeat(61), 'a\0b', '\ud800'])
    t.equal(fieldOf({ brandName }), 'brandName', JSON.stringify(brandName))
  for (const brandName of ['a', 'a'.repeat(60), '😀'.repeat(60), '<b>', null])
    t.equal(fieldOf({ brandName }), undefined, JSON.stringify(brandName))
  for (const accentColor of ['', 'red', '#fff', '#12345g', '#1234567', '#123456;', ' #123456'])
    t.equal(fieldOf({ accentColor }), 'accentColor', accentColor)
  for (const accentColor of ['#000000', '#1a7f5a', '#1A7F5A', null])
    t.equal(fieldOf({ accentColor }), undefined, `${accentColor}`)
  t.end()
})

t.test('in production only https origins are used, whatever was listed before', (t) => {
  const listed = ['http://localhost:4000', 'https://shop.example']
  t.same(usableOrigins(listed, { production: false }), listed)
  t.same(usableOrigins(listed, { production: true }), ['https://shop.example'])
  t.end()
})
