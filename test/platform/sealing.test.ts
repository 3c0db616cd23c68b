import t from 'tap'
import { systemRandom } from '../../src/platform/random.js'
import { seal, unseal } from '../../src/platform/sealing.js'
import { entryOf } from '../support/given.js'

const key = systemRandom.bytes(32)
const entryId = entryOf('O-1')

t.test('a sealed text opens with its key for its entry, whatever it holds', (t) => {
  for (const text of ['', 'Order 4711', 'two\nlines', '😀'.repeat(500)])
    t.equal(unseal(seal(text, { key, entryId }, systemRandom), { key, entryId }), text)
  t.end()
})

t.test('the sealed form shows nothing of the text and differs each time', (t) => {
  const one = seal('Order 4711', { key, entryId }, systemRandom)
  const two = seal('Order 4711', { key, entryId }, systemRandom)
  t.not(one, two)
  t.notMatch(Buffer.from(one.slice(3), 'base64url').toString('latin1'), 'Order')
  t.end()
})

t.test('without the key the text is gone', (t) => {
  const sealed = seal('Order 4711', { key, entryId }, systemRandom)
  t.equal(unseal(sealed, { key: undefined, entryId }), undefined)
  t.equal(unseal(sealed, { key: systemRandom.bytes(32), entryId }), undefined)
  t.end()
})

t.test('a text moved to another entry, cut or changed does not open', (t) => {
  const sealed = seal('Order 4711', { key, entryId }, systemRandom)
  t.equal(unseal(sealed, { key, entryId: entryOf('O-2') }), undefined)
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
    t.equal(unseal(`v1.${changed.toString('base64url')}`, { key, entryId }), undefined)
  }
  t.equal(unseal('v1.', { key, entryId }), undefined)
  t.end()
})
