import t from 'tap'
import { InvalidFieldError } from '../../src/identity/invalid-field-error.js'
import {
  emailFault,
  emailKeyOf,
  nameFault,
  parseEmail,
  parsePassword,
  passwordFault,
} from '../../src/identity/user-rules.js'

t.test('ordinary and unusual addresses are emails', (t) => {
  for (const email of [
    'ann@example.com',
    'Ann.Lee+shop@mail.example.co.uk',
    "o'neil@example.com",
    'jürgen@müller.example',
    `${'a'.repeat(64)}@example.com`,
  ])
    t.equal(emailFault(email), undefined, email)
  t.end()
})

t.test('what mail could not be sent to, or what could end its header, is no email', (t) => {
  for (const email of [
    '',
    'ann',
    '@example.com',
    'ann@',
    'ann@localhost',
    'ann@@example.com',
    'ann@exa mple.com',
    ' ann@example.com',
    'ann@example.com\n',
    'ann@example.com\r\nbcc: all@example.com',
    'ann@example.com,bob@example.com',
    'Ann <ann@example.com>',
    'ann\0@example.com',
    'ann\ud800@example.com',
    'ann\u200b@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a'.repeat(250)}.com`,
  ])
    t.type(emailFault(email), 'string', JSON.stringify(email))
  t.end()
})

t.test('emails that differ only in case are one', (t) => {
  t.equal(emailKeyOf('Ann@Example.COM'), 'ann@example.com')
  t.equal(parseEmail('Ann@Example.COM'), 'ann@example.com')
  t.end()
})

t.test('a password has 10 to 200 characters of any kind', (t) => {
  for (const password of ['a'.repeat(9), 'a'.repeat(201), 'long enough\0', 'long enough\udc00'])
    t.type(passwordFault(password), 'string', JSON.stringify(password))
  for (const password of ['a'.repeat(10), '😀'.repeat(10), '😀'.repeat(200), '          \n'])
    t.equal(passwordFault(password), undefined)
  t.end()
})

t.test('a name has 1 to 100 characters and is not blank', (t) => {
  for (const name of ['', ' ', 'a'.repeat(101), 'a\0'])
    t.type(nameFault(name, 100), 'string', JSON.stringify(name))
  for (const name of ['A', '李', 'a'.repeat(100)]) t.equal(nameFault(name, 100), undefined)
  t.end()
})

t.test('a fault names the field and never the value', (t) => {
  for (const [field, work] of [
    ['email', () => parseEmail('not-an-address')],
    ['password', () => parsePassword('secret')],
  ] as const)
    try {
      work()
      t.fail('it was accepted')
    } catch (error) {
      t.type(error, InvalidFieldError)
      const fault = error as InvalidFieldError
      t.equal(fault.field, field)
      t.equal(fault.message, `${field} ${fault.problem}`)
      t.notMatch(fault.message, /not-an-address|secret/)
    }
  t.end()
})
