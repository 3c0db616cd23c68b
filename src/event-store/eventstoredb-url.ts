/**
 * Connection strings of EventStoreDB and KurrentDB, made into what the client understands.
 * Promises: both schemes, one node or a cluster, defaults where the operator said nothing; a wrong
 * string is refused here, because the client prints the whole string, password included.
 * Never: puts a user name, a password or any value into an error.
 */

export class ConnectionStringError extends Error {
  override readonly name = 'ConnectionStringError'
}

/**
 * The same string for the client: only `esdb` schemes, every option known and every default set.
 */
export function clientConnectionString(url: string): string {
  const parts = /^([a-z+]+):\/\/(?:([^@/?]*)@)?([^/?@]+)\/?(?:\?(.*))?$/i.exec(url.trim())
  if (parts === null) throw new ConnectionStringError(expectedForm)
  const [, scheme = '', credentials, hostList = '', query] = parts
  const hosts = parseHosts(hostList)
  const isDiscovery = parseScheme(scheme)
  const options = parseOptions(query ?? '')
  const isCluster = isDiscovery || hosts.length > 1

  const all = new Map([...defaults, ...(isCluster ? clusterDefaults : []), ...options])
  const search = [...all].map(([key, value]) => `${key}=${value}`).join('&')
  // The client would use only the first of several hosts to discover from; as seeds they all count.
  const clientScheme = isDiscovery && hosts.length === 1 ? 'esdb+discover' : 'esdb'
  return `${clientScheme}://${parseCredentials(credentials)}${hosts.join(',')}?${search}`
}

/** The same cluster, asked through its other nodes; the string itself where there are none. */
export function withoutNode(connectionString: string, node: string): string {
  const parts = /^(esdb:\/\/(?:[^@/?]*@)?)([^/?@]+)(\?.*)$/.exec(connectionString)
  const [, start = '', hostList = '', search = ''] = parts ?? []
  const hosts = hostList.split(',')
  const others = hosts.filter((host) => host !== node && `${host}:${standardPort}` !== node)
  if (others.length === 0 || others.length === hosts.length) return connectionString
  // A single host would be taken for the only node there is.
  const scheme = others.length === 1 ? 'esdb+discover' : 'esdb'
  return `${start.replace('esdb', scheme)}${others.join(',')}${search}`
}

const standardPort = '2113'

const expectedForm =
  'the event store URL must look like esdb://host:2113?tls=false, ' +
  'esdb://user:password@a:2113,b:2113,c:2113 or esdb+discover://user:password@cluster:2113'

const defaults: readonly (readonly [string, string])[] = [
  // Of an append. The server takes our absolute time: a clock that is 10 s behind must not end
  // every append.
  ['defaultDeadline', '30000'],
  ['connectionName', 'wallet-service'],
  ['nodePreference', 'leader'],
]

const clusterDefaults: readonly (readonly [string, string])[] = [
  // About as long as one append waits: after that a new client starts a new discovery anyway.
  ['maxDiscoverAttempts', '10'],
  ['discoveryInterval', '200'],
  // Seconds. A frozen node asked first must leave time for the next one before the watchdog.
  ['gossipTimeout', '1'],
]

type OptionKind = 'text' | 'integer' | 'boolean' | 'ours'

/** The client ignores case, `_` and `-` in the names of its options; so does this table. */
const optionKinds: readonly (readonly [string, OptionKind])[] = [
  ['userCertFile', 'text'],
  ['userKeyFile', 'text'],
  ['tlsCAFile', 'text'],
  ['connectionName', 'text'],
  ['nodePreference', 'text'],
  ['maxDiscoverAttempts', 'integer'],
  ['defaultDeadline', 'integer'],
  ['discoveryInterval', 'integer'],
  ['gossipTimeout', 'integer'],
  ['keepAliveInterval', 'integer'],
  ['keepAliveTimeout', 'integer'],
  ['tls', 'boolean'],
  ['tlsVerifyCert', 'ours'],
  // Not the client's appends are used, but ours.
  ['throwOnAppendFailure', 'ours'],
]

const options = new Map(optionKinds.map(([name, kind]) => [flat(name), { name, kind }]))

const valuePatterns: Record<OptionKind, RegExp> = {
  text: /^[^&?#\s]+$/,
  integer: /^-?\d{1,9}$/,
  boolean: /^(true|false)$/,
  ours: /^(true|false)$/,
}

/** True when the cluster is to be found by DNS. */
function parseScheme(scheme: string): boolean {
  switch (scheme.toLowerCase()) {
    case 'esdb':
    case 'kurrentdb':
      return false
    case 'esdb+discover':
    case 'kurrentdb+discover':
      return true
    default:
      throw new ConnectionStringError(expectedForm)
  }
}

function parseHosts(list: string): string[] {
  const hosts = list.split(',').map((host) => host.trim())
  if (!hosts.every((host) => /^[\w.-]+(:\d{1,5})?$/.test(host)))
    throw new ConnectionStringError(
      'the event store URL needs hosts as name:port, joined by commas',
    )
  return hosts
}

// The client cuts a password at its first colon, so both parts are encoded again.
function parseCredentials(credentials: string | undefined): string {
  if (credentials === undefined) return ''
  const colon = credentials.indexOf(':')
  try {
    const user = decodeURIComponent(credentials.slice(0, Math.max(colon, 0)))
    const password = decodeURIComponent(credentials.slice(colon + 1))
    if (user !== '' && password !== '')
      return `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  } catch {
    // Told below, without the text that could not be decoded.
  }
  throw new ConnectionStringError(
    'the event store URL needs user:password before the @, both percent-encoded',
  )
}

function parseOptions(query: string): Map<string, string> {
  const given = new Map<string, string>()
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [key = '', value = ''] = pair.split('=', 2)
    const option = options.get(flat(key))
    if (option === undefined)
      throw new ConnectionStringError('the event store URL has an option that nobody knows')
    if (!valuePatterns[option.kind].test(value))
      throw new ConnectionStringError(`the event store URL has a wrong value for ${option.name}`)
    if (option.name === 'tlsVerifyCert' && value === 'false')
      throw new ConnectionStringError('tlsVerifyCert=false has no effect: name the tlsCAFile')
    if (option.kind !== 'ours') given.set(option.name, value)
  }
  return given
}

function flat(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}
