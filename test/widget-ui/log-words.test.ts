// What the log of admin actions says: about every action that there is, and about who did it.
import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import type { LogEntry } from '../../src/http/schemas/answers/admin.js'
import { actionWords, actorOf, detailWords } from '../../widget-ui/src/admin/log-words.js'

const entry: LogEntry = {
  at: '2026-03-01T12:00:00.000Z',
  adminId: null,
  adminEmail: null,
  action: 'admin.create',
  subject: null,
  details: {},
  outcome: 'done',
}

t.test('every action that the service and the command line write has words', async (t) => {
  const actions = await writtenActions()
  for (const known of ['session.begin', 'client-app.activate', 'admin.lock', 'seed'])
    t.ok(actions.has(known), `${known} is found in the source`)
  for (const action of actions) {
    const words = actionWords({ action, outcome: 'done' })
    t.notMatch(words, /\./, `${action} is said in words`)
    t.not(words.toLowerCase(), action.replaceAll(/[.-]/g, ' '), `${action} has words of its own`)
  }
})

t.test(
  'a refused login is somebody’s at the login page, and never the command line’s',
  async (t) => {
    const login = { ...entry, action: 'session.begin', outcome: 'refused' } as const
    t.equal(actionWords(login), 'Login refused')
    t.same(actorOf(login), { words: 'somebody at the login page', isKnown: false })
    t.equal(detailWords(login), '')
  },
)

t.test('what the command line signed is its own, and an admin’s is the admin’s', async (t) => {
  const command = { ...entry, details: { role: 'admin', by: 'command line' } }
  t.same(actorOf(command), { words: 'the command line', isKnown: false })
  t.equal(detailWords(command), 'role: admin', 'without repeating who it was')
  t.equal(actorOf(entry).words, 'nobody known')
  const admin = { ...entry, adminId: 'adm_1', adminEmail: 'ada@example.com' }
  t.same(actorOf(admin), { words: 'ada@example.com', isKnown: true })
})

t.test('what was not given is left out, and what was taken away is told', async (t) => {
  const details = { name: 'Shop', scopes: [], brandName: null }
  const made = { ...entry, action: 'client-app.create', details }
  t.equal(detailWords(made), 'name: Shop · scopes: none')
  const changed = { ...made, action: 'client-app.update' }
  t.equal(detailWords(changed), 'name: Shop · scopes: none · brandName: none')
  t.equal(detailWords({ ...entry, action: 'user.create', details: { linked: null } }), '')
})

/** Read from the source: an action that somebody adds without words fails here. */
async function writtenActions(): Promise<Set<string>> {
  const actions = new Set<string>()
  for (const folder of ['../../src/cli/', '../../src/http/routes/admin/'])
    for (const name of await readdir(new URL(folder, import.meta.url))) {
      const text = await readFile(new URL(folder + name, import.meta.url), 'utf8')
      const named = /(?:\baction(?: =|:)|\bchange\()[^,;\n]*/g
      for (const [place] of text.matchAll(named)) addQuoted(place, actions)
    }
  return actions
}

function addQuoted(place: string, actions: Set<string>): void {
  for (const [, action] of place.matchAll(/'([a-z-]+(?:\.[a-z-]+)?)'/g))
    if (action !== undefined) actions.add(action)
  if (!place.includes('`client-app.${verb}`')) return
  for (const verb of ['activate', 'deactivate']) actions.add(`client-app.${verb}`)
}
