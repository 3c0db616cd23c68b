// wallets show, asked as support agents ask: with the ids that a client app has of a person.
import t from 'tap'
import { newDatabase, refused, runJson } from './json-commands.js'

interface Made {
  readonly serviceUserId: string
  readonly walletId: string
}

t.test('a wallet is found by the serviceUserId that its client app has', async (t) => {
  const environment = await newDatabase(t)
  const newApp = async (name: string): Promise<string> => {
    const args = ['client-apps', 'create', '--name', name]
    return (await runJson<{ clientId: string }>(t, args, environment)).clientId
  }
  const [shop, other] = [await newApp('Shop'), await newApp('Other\u001b[31m')]
  const made = ['users', 'create', '--link', shop]
  const { serviceUserId, walletId } = await runJson<Made>(t, made, environment)
  const show = ['wallets', 'show', serviceUserId]
  t.match(await runJson(t, show, environment), { walletId, balance: 0, entries: [] })
  for (const id of [serviceUserId, walletId]) {
    const asShop = ['wallets', 'show', id, '--client-app', shop]
    t.match(await runJson(t, asShop, environment), { walletId })
    const asOther = ['wallets', 'show', id, '--client-app', other]
    await refused(t, asOther, environment, /not linked to the client app 'Other·\[31m' \(app_/)
  }
  const nobody = ['wallets', 'show', `${serviceUserId}0`, '--client-app', shop]
  await refused(t, nobody, environment, /is no wallet that this service knows.\nGive a walletId/)
  const noApp = [...show, '--client-app', 'app_nobody']
  await refused(t, noApp, environment, /There is no client app 'app_nobody'/)
})
