/**
 * Connection strings as operators write them, and what the client is given; a wrong one is told
 * without repeating anything that may be secret.
 */
import t from 'tap'
import {
  clientConnectionString,
  ConnectionStringError,
  withoutNode,
} from '../../src/event-store/eventstoredb-url.js'

const always = 'defaultDeadline=30000&connectionName=wallet-service&nodePreference=leader'
const cluster = `${always}&maxDiscoverAttempts=10&discoveryInterval=200&gossipTimeout=1`

t.test('a single node gets the defaults and keeps what the operator chose', async (t) => {
  t.equal(
    clientConnectionString('esdb://localhost:2113?tls=false'),
    `esdb://localhost:2113?${always}&tls=false`,
  )
  t.equal(
    clientConnectionString('esdb://db:2113/?connection_name=a&DefaultDeadline=5000'),
    'esdb://db:2113?defaultDeadline=5000&connectionName=a&nodePreference=leader',
  )
})

t.test('KurrentDB addresses are the same thing under a newer name', async (t) => {
  t.equal(clientConnectionString('kurrentdb://db'), `esdb://db?${always}`)
  t.equal(
    clientConnectionString('kurrentdb+discover://db:2113'),
    `esdb+discover://db:2113?${cluster}`,
  )
})

t.test('a cluster is given by its nodes or by one name to discover', async (t) => {
  t.equal(clientConnectionString('esdb://a:1,b:2,c:3'), `esdb://a:1,b:2,c:3?${cluster}`)
  t.equal(clientConnectionString('esdb+discover://db'), `esdb+discover://db?${cluster}`)
  t.equal(
    clientConnectionString('esdb+discover://a,b'),
    `esdb://a,b?${cluster}`,
    'several names are seeds, where the client would drop all but the first',
  )
})

t.test('a cluster can be asked through its other nodes', async (t) => {
  const string = clientConnectionString('esdb://user:a%3Ab@a:1,b:2,c')
  t.equal(withoutNode(string, 'b:2'), `esdb://user:a%3Ab@a:1,c?${cluster}`)
  t.equal(withoutNode(string, 'c:2113'), `esdb://user:a%3Ab@a:1,b:2?${cluster}`)
  const two = clientConnectionString('esdb://a:1,b:2')
  t.equal(withoutNode(two, 'a:1'), `esdb+discover://b:2?${cluster}`, 'still a cluster')
  for (const alone of ['esdb://a:1', 'esdb+discover://a:1'].map(clientConnectionString))
    t.equal(withoutNode(alone, 'a:1'), alone, 'there is no other')
  t.equal(withoutNode(two, '10.0.0.1:1'), two, 'a name that is not in it')
})

t.test('a password with special characters arrives whole', async (t) => {
  t.match(
    clientConnectionString('esdb://ledger:a:b%40c@db'),
    /^esdb:\/\/ledger:a%3Ab%40c@db\?/,
    'the client would cut it at the colon',
  )
})

t.test('lost races always arrive as errors, whatever the address says', async (t) => {
  t.equal(clientConnectionString('esdb://db?throwOnAppendFailure=false'), `esdb://db?${always}`)
})

t.test('a wrong address is refused without repeating any of it', async (t) => {
  const wrong = [
    'postgres://user:hunter2@db',
    'esdb://',
    'esdb://user:hunter2@',
    'esdb://hunter2@db',
    'esdb://user:%E0%A4%A@db',
    'esdb://user:hunter2@[::1]:2113',
    'esdb://user:hunter2@db:port',
    'esdb://user:hunter2@db?tls=hunter2',
    'esdb://user:hunter2@db?hunter2=1',
    'esdb://user:hunter2@db?defaultDeadline=',
    'esdb://user:hunter2@db?tlsVerifyCert=false',
  ]
  for (const url of wrong) {
    const error = t.throws(() => clientConnectionString(url), ConnectionStringError)
    t.notMatch(String(error), /hunter2|E0/, url)
  }
})
