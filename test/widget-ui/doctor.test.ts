// What the widget doctor says about a client app, a frame and a pasted tag.
import t from 'tap'
import type { DoctorFacts } from '../../src/http/schemas/answers/widget.js'
import {
  factFindings,
  frameFindings,
  spelledOriginFindings,
  type Examined,
  type Finding,
} from '../../widget-ui/src/doctor/findings.js'
import { mendedTag } from '../../widget-ui/src/doctor/mended-tag.js'
import {
  isSessionToken,
  tagAddress,
  tagFindings,
} from '../../widget-ui/src/doctor/tag-diagnosis.js'

const service = 'https://wallet.example'
const names = { origin: service }
const token = 'ws_3f2b8a52-7a0f-4a55-9c36-0b1f5d6c7e88'
const good = {
  src: `${service}/widget/wallet?clientId=shop&session=${token}`,
  allow: 'payment *',
  title: 'Wallet',
}
const whole =
  'allow-same-origin allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox'

t.test('a tag with everything is fine', async (t) => {
  const fine = [{ state: 'good', title: 'The tag has everything that the wallet needs.' }]
  t.same(tagFindings(good, names), fine)
  t.same(tagFindings({ ...good, sandbox: whole }, names), fine)
  t.same(tagFindings({ ...good, allow: "camera 'none'; payment *" }, names), fine)
})

t.test('each fault of a tag is named with its fix', async (t) => {
  const faults: [Record<string, string>, RegExp][] = [
    [{ src: '' }, /has no src/],
    [{ src: '/widget/wallet?clientId=shop' }, /no whole address/],
    [{ src: good.src.replace('https', 'http') }, /uses http:\/\//],
    [{ src: good.src.replace('wallet.example', 'walet.example') }, /leads to walet\.example/],
    [{ src: 'http://other.example/widget/wallet?clientId=shop' }, /a page on https cannot embed/],
    [{ src: `${service}/wallet?clientId=shop` }, /no page of the widget/],
    [{ src: `${service}/widget/wallet` }, /no clientId, and no session either/],
    [{ src: `${service}/widget/topup?clientId=shop` }, /top-up page needs a session/],
    [{ src: `${service}/widget/wallet?session=<token>` }, /no session token/],
    [{ src: `${good.src}&clientSecret=cs_1` }, /holds a clientSecret/],
    [{ src: `${good.src}&serviceUserId=usr_1` }, /holds a serviceUserId/],
    [{ srcdoc: '<p>' }, /has a srcdoc/],
    [{ allow: '' }, /does not allow payments/],
    [{ allow: "payment 'none'" }, /refuses payments/],
    [{ sandbox: '' }, /lacks allow-same-origin/],
    [{ sandbox: whole.replace('allow-forms ', '') }, /lacks allow-forms/],
    [{ sandbox: 'allow-scripts allow-same-origin' }, /lacks allow-popups-to-escape-sandbox/],
    [{ width: '300' }, /narrower than 320 px/],
  ]
  for (const [change, words] of faults) {
    const findings = tagFindings({ ...good, ...change }, names).filter(isBad)
    t.ok(
      findings.some(({ title }) => words.test(title)),
      String(words),
    )
    for (const { fix } of findings) t.ok(fix, 'with a way to mend it')
  }
})

t.test('a machine’s own names with one port, and its public name, are the service', async (t) => {
  const at = (origin: string) => ({ ...good, src: good.src.replace(service, origin) })
  const own = ['http://localhost:4100', 'http://127.0.0.1:4100', 'http://[::1]:4100']
  for (const origin of own)
    for (const other of own)
      t.equal(tagFindings(at(other), { origin }).filter(isBad).length, 0, `${other} at ${origin}`)
  const [origin = ''] = own
  for (const other of ['http://127.0.0.1:4101', 'http://127.0.0.2:4100', 'http://[::2]:4100'])
    t.match(tagFindings(at(other), { origin }), [{ state: 'bad', title: /leads to/ }], other)
  const secure = tagFindings(at('https://127.0.0.1:4100'), { origin })
  t.match(secure, [{ state: 'bad', title: /uses https/, fix: /Use http:/ }])

  const known = { origin, publicOrigin: service }
  t.equal(tagFindings(good, known).filter(isBad).length, 0)
  t.match(tagFindings(good, { origin })[0], { state: 'bad', title: /leads to wallet\.example/ })
  const elsewhere = tagFindings(at('https://other.example'), known)
  t.match(elsewhere[0]?.fix, `Use ${service}`, 'the public name is the one to use')
})

t.test('what may be meant so is only a hint', async (t) => {
  const hints: [Record<string, string>, RegExp][] = [
    [{ allow: 'payment' }, /some origins only/],
    [{ title: '' }, /no title/],
    [{ src: `${service}/widget/wallet?session=${token}` }, /The src has no clientId/],
    [{ sandbox: `${whole} allow-top-navigation` }, /lead your page away/],
  ]
  for (const [change, words] of hints) {
    const findings = tagFindings({ ...good, ...change }, names)
    t.equal(findings.filter(isBad).length, 0)
    t.ok(
      findings.some(({ title, state }) => state === 'unsure' && words.test(title)),
      String(words),
    )
  }
})

t.test('a mended tag is fine, keeps what was chosen and repeats no token', async (t) => {
  const mending = { service: names, clientId: 'app_1' }
  t.equal(
    mendedTag({}, mending),
    [
      '<iframe',
      `  src="${service}/widget/wallet?clientId=app_1"`,
      '  title="Wallet"',
      '  allow="payment *"',
      '  width="100%"',
      '  height="720"',
      '></iframe>',
    ].join('\n'),
  )
  const wrong = {
    src: `http://other.example/x?session=${token}&clientSecret=cs_secret&theme=dark&x="><script>`,
    srcdoc: '<p>',
    onload: 'run()',
    allow: "camera 'none'; payment 'none'",
    sandbox: 'allow-downloads allow-top-navigation',
    width: '200',
    height: '500',
    class: 'frame "big"',
  }
  const tag = mendedTag(wrong, mending)
  t.match(
    tag,
    `src="${service}/widget/wallet?clientId=app_1&amp;session={sessionToken}&amp;theme=dark"`,
  )
  t.match(tag, `sandbox="${whole} allow-downloads"`)
  t.match(tag, `allow="payment *; camera 'none'"`)
  t.match(tag, 'width="100%"')
  t.match(tag, 'height="500"')
  t.match(tag, 'class="frame &quot;big&quot;"')
  for (const gone of [token, 'cs_secret', 'srcdoc', 'run()', '<script', 'navigation'])
    t.notOk(tag.includes(gone), gone)
  t.same(tagFindings(attributesOf(tag, token), names).filter(isBad), [])

  const topUp = mendedTag({ src: '/widget/topup?amount=5' }, { service: names, clientId: '' })
  t.match(topUp, '/widget/topup?clientId={clientId}&amp;session={sessionToken}&amp;amount=5')
  const local = { origin: 'http://127.0.0.1:4100' }
  const kept = mendedTag(
    { src: 'http://localhost:4100/widget/wallet' },
    { ...mending, service: local },
  )
  t.match(kept, 'src="http://localhost:4100/widget/wallet?clientId=app_1"', 'a name of the same')
})

/** As a browser reads it, with a token in its place. */
function attributesOf(tag: string, session: string): Record<string, string> {
  const pairs = [...tag.matchAll(/^ {2}(\w+)="(.*)"$/gm)].map(([, name = '', value = '']) => [
    name,
    value.replaceAll('&amp;', '&').replace('{sessionToken}', session),
  ])
  return Object.fromEntries(pairs) as Record<string, string>
}

t.test('no finding repeats a token or a secret', async (t) => {
  const src = `http://other.example/x?session=${token}&clientSecret=cs_secret&serviceUserId=usr_1`
  const text = JSON.stringify(tagFindings({ src }, names))
  for (const secret of [token, 'cs_secret', 'usr_1']) t.notMatch(text, secret)
})

t.test('what the tag carries is asked of the service', async (t) => {
  t.same(tagAddress(good), { clientId: 'shop', session: token })
  t.same(tagAddress({ src: 'no address' }), { clientId: '', session: '' })
})

const facts: DoctorFacts = {
  app: 'active',
  originAllowed: true,
  originProblem: null,
  openerAllowed: true,
  session: 'live',
  sessionMatchesApp: true,
}
const examined: Examined = { clientId: 'shop', origin: 'https://shop.example', place: 'frame' }

t.test('a parent that may embed a live session is fine', async (t) => {
  const findings = factFindings(facts, examined)
  t.ok(findings.every(({ state }) => state === 'good'))
  t.match(JSON.stringify(findings), 'https://shop.example may embed the wallet.')
})

t.test('what the service knows to be wrong is told with its fix', async (t) => {
  const faults: [Partial<DoctorFacts>, Partial<Examined>, RegExp][] = [
    [{ app: 'unknown' }, { clientId: '' }, /No clientId was given/],
    [{ app: 'unknown' }, {}, /No client app has this clientId/],
    [{ app: 'inactive' }, {}, /not active/],
    [{ originAllowed: false }, {}, /may not embed the wallet/],
    [{ originProblem: 'It has a path.' }, {}, /It has a path/],
    [{ session: 'ended' }, {}, /has ended/],
    [{ session: 'unknown' }, {}, /does not know this session/],
    [{ sessionMatchesApp: false }, {}, /made by another client app/],
  ]
  for (const [change, other, words] of faults) {
    const bad = factFindings({ ...facts, ...change }, { ...examined, ...other }).filter(isBad)
    t.equal(bad.length, 1, String(words))
    t.match(bad[0]?.title, words)
    t.ok(bad[0]?.fix)
  }
  const unknownParent = factFindings(facts, { ...examined, origin: '' })
  t.match(unknownParent[1], { state: 'missing', title: /not known which page/ })
})

t.test('in a tab without an origin it asks for one, and knows that it is in a tab', async (t) => {
  const findings = factFindings(facts, { ...examined, origin: '', place: 'tab' })
  t.match(findings[1], { state: 'missing', fix: 'Type the origin of your page above.' })
  t.notMatch(JSON.stringify(findings), 'tab of its own')
})

t.test(
  'an origin that is only written wrong is unlisted as it is, and told its right spelling',
  async (t) => {
    const wrong = {
      originAllowed: false,
      originProblem: 'The origin must be an exact origin.',
      originInstead: 'http://localhost:5410',
    }
    const origin = 'http://localhost:5410/'
    const bad = factFindings({ ...facts, ...wrong }, { ...examined, origin }).filter(isBad)
    t.equal(bad.length, 1)
    t.match(bad[0]?.fix, /^Write it as http:\/\/localhost:5410:/)
    t.match(bad[0]?.title, /^http:\/\/localhost:5410\/ is unlisted:/)
    t.notMatch(JSON.stringify(bad), 'https')
    const spelled = { ...examined, origin: 'http://localhost:5410' }
    t.match(spelledOriginFindings({ ...facts, originAllowed: false }, spelled), [
      { state: 'bad', fix: /^Add http:\/\/localhost:5410 to “Allowed iframe parents”/ },
      { state: 'good' },
    ])
    t.match(spelledOriginFindings(facts, spelled)[0], { state: 'good', title: /may embed/ })
  },
)

t.test('without a clientId it says how the app is found, as far as it can know', async (t) => {
  const first = (change: Partial<DoctorFacts>, place: Examined['place']) =>
    factFindings({ ...facts, ...change }, { ...examined, clientId: '', place })[0]
  t.match(first({ foundBy: 'origin' }, 'frame'), { state: 'good', title: /by your origin/ })
  t.match(first({ foundBy: 'origin' }, 'tab'), { state: 'unsure', title: /if your page sends it/ })
  t.match(first({ foundBy: 'origin' }, 'silent frame'), { state: 'bad', title: /Referrer-Policy/ })
  t.match(first({ foundBy: 'session' }, 'tab'), { state: 'good', title: /the session says/ })
  t.match(first({ foundBy: 'session', app: 'inactive' }, 'tab'), { state: 'bad', title: /active/ })
})

t.test('the form asks for the clientId in the form, a frame for it in its address', async (t) => {
  const fix = (place: Examined['place']) =>
    factFindings({ ...facts, app: 'unknown' }, { ...examined, clientId: '', place })[0]?.fix
  t.match(fix('tab'), /^Fill in the clientId above;/)
  t.match(fix('frame'), /^Add clientId=… to the address;/)
})

t.test('a session that is none is told once', async (t) => {
  t.equal(isSessionToken(token), true)
  t.equal(isSessionToken('<token>'), false)
  const told = factFindings({ ...facts, session: 'unknown' }, { ...examined, isSessionTold: true })
  t.notMatch(JSON.stringify(told), 'session')
})

t.test('a frame tells what it lacks', async (t) => {
  const view = { hasOrigin: true, canSubmitForms: true, mayPay: true, isSecure: true, widthPx: 480 }
  t.ok(frameFindings(view).every(({ state }) => state === 'good'))
  const faults: [Partial<typeof view>, RegExp][] = [
    [{ hasOrigin: false }, /allow-same-origin/],
    [{ canSubmitForms: false }, /allow-forms/],
    [{ mayPay: false }, /allow="payment \*"/],
    [{ isSecure: false }, /https/],
    [{ widthPx: 200 }, /width="100%"/],
  ]
  for (const [change, fix] of faults) {
    const bad = frameFindings({ ...view, ...change }).filter(isBad)
    t.equal(bad.length, 1)
    t.match(bad[0]?.fix, fix)
  }
  const silent = frameFindings({ ...view, mayPay: undefined })
  t.ok(silent.some(({ state }) => state === 'unsure'))
})

function isBad({ state }: Finding): boolean {
  return state === 'bad'
}
