/**
 * Origins of the web: of an address, whether it is safe to talk to, and of a server that listens.
 * Pure; no name is ever looked up.
 */
/** Undefined for what has a path, a query or a password, or cannot be parsed. */
export function originOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  const extras = url.username + url.password + url.search + url.hash
  return url.pathname === '/' && extras === '' ? url.origin : undefined
}

/** Https, or this machine itself. */
export function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

export function listeningOrigin(host: string, port: number): string {
  // "Every address of this machine" is nothing that a browser could open.
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
