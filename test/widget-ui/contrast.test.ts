// Whatever accent a client app chooses can be read on our pages.
import fc from 'fast-check'
import t from 'tap'
import {
  accentPalettes,
  contrast,
  contrastMin,
  surfaces,
} from '../../widget-ui/src/widget/contrast.js'

t.test('black on white is 21 : 1, and a colour on itself 1 : 1', async (t) => {
  t.equal(contrast('#000000', '#ffffff'), 21)
  t.equal(contrast('#1d4ed8', '#1d4ed8'), 1)
  t.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48', 'as every checker says')
})

t.test('a colour that can be read is left as it is', async (t) => {
  t.equal(accentPalettes('#1d4ed8')?.light.accent, '#1d4ed8')
  t.equal(accentPalettes('#8fb3ff')?.dark.accent, '#8fb3ff')
})

t.test('a pale accent is darkened in light, and a dark one lightened in dark', async (t) => {
  const pale = accentPalettes('#ffe066')
  t.ok(contrast(pale?.light.accent ?? '', '#ffffff') >= contrastMin)
  t.equal(pale?.dark.accent, '#ffe066', 'and stays where it can be read')
  const dark = accentPalettes('#10204f')
  t.equal(dark?.light.accent, '#10204f')
  t.ok(contrast(dark?.dark.accent ?? '', '#1f252f') >= contrastMin)
})

t.test('as a fill a pale accent stays as it is and takes dark text', async (t) => {
  const { light } = accentPalettes('#ffe066') ?? {}
  t.match(light, { fill: '#ffe066', fillText: '#0e1116' })
  t.match(accentPalettes('#0f766e')?.light, { fill: '#0f766e', fillText: '#ffffff' })
})

t.test('every accent has 4.5 : 1 on every surface, and our text on it', async (t) => {
  const colour = fc.integer({ min: 0, max: 0xff_ff_ff })
  fc.assert(
    fc.property(colour, (value) => {
      const palettes = accentPalettes(`#${value.toString(16).padStart(6, '0')}`)
      if (palettes === undefined) return false
      return (['light', 'dark'] as const).every((look) => {
        const { accent, strong, text, fill, fillStrong, fillText } = palettes[look]
        const onFill = [fill, fillStrong].every((on) => contrast(fillText, on) >= contrastMin)
        const onSurfaces = surfaces[look].every((ground) => contrast(accent, ground) >= contrastMin)
        const underText = [accent, strong].every((on) => contrast(text, on) >= contrastMin)
        return onSurfaces && underText && onFill
      })
    }),
  )
  t.pass('for as many colours as were tried')
})

t.test('what is no colour changes nothing', async (t) => {
  for (const text of ['', 'red', '#12', '#12345g', '#1234567', 'url(x)'])
    t.equal(accentPalettes(text), undefined, text)
})
