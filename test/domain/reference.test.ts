import t from 'tap'
import { descriptionFault, reference, textFault } from '../../src/domain/reference.js'

t.test('a reference is kept byte for byte: no trim, no case fold, no normalisation', (t) => {
  for (const text of [' a ', 'A', 'a', '\u00e9', 'e\u0301', '\n', '😀'])
    t.same(reference(text, text), { referenceType: text, referenceId: text })
  t.end()
})

t.test('bounds count bytes of UTF-8', (t) => {
  t.equal(textFault('a'.repeat(64), { bytesMax: 64 }), undefined)
  t.equal(textFault('é'.repeat(32), { bytesMax: 64 }), undefined)
  t.match(textFault('é'.repeat(33), { bytesMax: 64 }), 'at most 64 bytes')
  t.match(textFault('', { bytesMax: 64 }), 'not be empty')
  t.throws(() => reference('a'.repeat(65), 'b'))
  t.throws(() => reference('a', 'b'.repeat(201)))
  t.end()
})

t.test('U+0000 and lone surrogates are refused in references and descriptions', (t) => {
  for (const text of ['a\0b', '\ud800', 'a\udc00', '\udc00\ud800']) {
    t.match(textFault(text, { bytesMax: 64 }), 'well-formed Unicode')
    t.match(descriptionFault(text), 'well-formed Unicode')
    t.throws(() => reference(text, 'b'))
  }
  t.end()
})

t.test('a description counts characters, and may be empty or hold newlines', (t) => {
  t.equal(descriptionFault(''), undefined)
  t.equal(descriptionFault('two\nlines'), undefined)
  t.equal(descriptionFault('😀'.repeat(500)), undefined)
  t.match(descriptionFault('😀'.repeat(501)), 'at most 500 characters')
  t.match(descriptionFault('a'.repeat(501)), 'at most 500 characters')
  t.end()
})
