// `npm run demo`: the service and the example shop, started, used, stopped and started again.
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { runCommand, startCommand } from '../support/command-line.js'
import { Shopper } from '../support/example-shop.js'

/** As root another user runs PostgreSQL and must be able to enter. */
const folder = await mkdtemp(join(tmpdir(), 'wallet-demo-'))
await chmod(folder, 0o755)
t.teardown(() => rm(folder, { recursive: true, force: true }))

// A database and a live key of somebody's shell: the demo touches neither.
const environment = {
  DATA_DIR: folder,
  DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/production',
  NODE_ENV: 'production',
}

t.test('it prints one address to open, what to do there, and both parts answer', async (t) => {
  const { shop, service, demo, output } = await start(t)
  t.match(output, `Open ${shop}`)
  t.match(output, '4242 4242 4242 4242')
  t.match(output, join(folder, 'demo'))
  t.notMatch(output, /sk_/)
  t.ok(output.trim().split('\n').length <= 16, 'few lines')
  t.equal((await fetch(`${service}/health/ready`)).status, 200)
  t.equal((await fetch(shop)).status, 200)

  const shopper = new Shopper(shop)
  await shopper.post('/api/register', account)
  const orderId = await shopper.order('ink')
  t.equal((await shopper.pay(orderId)).body['code'], 'ACCOUNT_NOT_LINKED')
  await link(shopper, { service, clientId: (await credentials()).clientId })
  t.equal((await shopper.pay(orderId)).body['code'], 'INSUFFICIENT_BALANCE')

  demo.child.kill('SIGINT')
  t.equal((await demo.ended()).code, 0)
  await t.rejects(fetch(shop), 'the shop has ended')
  await t.rejects(fetch(service), 'the service has ended')
})

t.test('the secret of the shop is kept where only its owner can read it', async (t) => {
  for (const name of ['shop-credentials.json', 'shop.json'])
    t.equal((await stat(join(folder, 'demo', name))).mode & 0o777, 0o600, name)
})

t.test('a second start uses the same client app, people and orders, on another port', async (t) => {
  const before = await credentials()
  const { shop, demo, output } = await start(t)
  t.same(await credentials(), before)
  t.notMatch(output, 'log in as', 'the first admin is shown once')
  const shopper = new Shopper(shop)
  t.same((await shopper.post('/api/login', account)).body['isLinked'], true)
  const { body } = await shopper.get('/api/orders')
  t.match(body['orders'], [{ title: 'Blue-black ink', status: 'open' }])
  t.match((await shopper.post('/api/wallet/session')).body, { sessionToken: /^ws_/ })
  demo.child.kill('SIGTERM')
  t.equal((await demo.ended()).code, 0)
})

t.test('a secret that was revoked and an app that was switched off are mended', async (t) => {
  const before = await credentials()
  const own = { DATA_DIR: join(folder, 'demo') }
  const list = await runCommand(t, ['client-apps', 'list', '--json'], own)
  const [app] = JSON.parse(list.stdout) as { clientId: string; secrets: { secretId: string }[] }[]
  t.equal(app?.clientId, before.clientId)
  const secretId = app?.secrets[0]?.secretId ?? ''
  await runCommand(t, ['client-apps', 'revoke', before.clientId, secretId], own)
  await runCommand(t, ['client-apps', 'deactivate', before.clientId], own)

  const { shop, demo } = await start(t)
  const now = await credentials()
  t.equal(now.clientId, before.clientId, 'so that people keep their link')
  t.not(now.clientSecret, before.clientSecret)
  const shopper = new Shopper(shop)
  await shopper.post('/api/login', account)
  t.match((await shopper.post('/api/wallet/session')).body, { sessionToken: /^ws_/ })
  demo.child.kill('SIGINT')
  await demo.ended()
})

t.test('a demo that is killed leaves no shop behind', async (t) => {
  const { shop, demo } = await start(t)
  demo.child.kill('SIGKILL')
  await demo.ended()
  // It sees the channel to its parent close; nobody tells us when.
  while (await isAnswering(shop)) continue
  // PostgreSQL lives on, as after any kill: whoever uses it last stops it.
  const { code } = await runCommand(t, ['migrate'], { DATA_DIR: join(folder, 'demo') })
  t.equal(code, 0)
})

t.test('a port that is taken is said in two lines, before anything starts', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1')
  t.teardown(() => blocker.close())
  await once(blocker, 'listening')
  const port = String((blocker.address() as AddressInfo).port)
  const shop = await runCommand(t, ['demo', '--shop-port', port], environment)
  t.equal(shop.code, 1)
  t.match(shop.stderr, `The port ${port} of the shop is taken.`)
  t.match(shop.stderr, 'npm run demo -- --shop-port')
  const service = await runCommand(t, ['demo', '--shop-port', '0'], { ...environment, PORT: port })
  t.equal(service.code, 1)
  t.match(service.stderr, `The port ${port} of the service is taken.`)
  t.match(service.stderr, 'PORT=')
  for (const { stdout, stderr } of [shop, service]) {
    t.equal(stdout, '')
    t.equal(stderr.trim().split('\n').length, 2)
  }
  const wrong = await runCommand(t, ['demo', '--shop-port', '99999'], environment)
  t.equal(wrong.code, 2)
  t.match(wrong.stderr, 'from 0 to 65535')
})

const account = { email: 'ada@example.com', password: 'a long password' }

async function start(t: Test) {
  const demo = startCommand(t, ['demo', '--shop-port', '0'], environment)
  let output = ''
  demo.child.stdout.on('data', (chunk: string) => (output += chunk))
  const [, shop = ''] = await demo.says(/Open (http\S+)/)
  const [, service = ''] = await demo.says(/Service {3}(http[^\s,]+)/)
  await demo.says(/Ctrl-C/)
  return { demo, shop, service, output }
}

async function credentials(): Promise<{ clientId: string; clientSecret: string }> {
  const text = await readFile(join(folder, 'demo', 'shop-credentials.json'), 'utf8')
  return JSON.parse(text) as { clientId: string; clientSecret: string }
}

/** What the widget does when a person signs up in its frame. */
async function link(
  shopper: Shopper,
  { service, clientId }: { service: string; clientId: string },
): Promise<void> {
  const person = { firstName: 'Ada', lastName: 'Byron', ...account }
  const answer = await fetch(`${service}/api/widget/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, ...person }),
  })
  const { linkProof } = (await answer.json()) as { linkProof: string }
  await shopper.post('/api/wallet/link', { linkProof })
}

async function isAnswering(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => true,
    () => false,
  )
}
