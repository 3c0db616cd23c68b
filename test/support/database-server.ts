/**
 * A PostgreSQL for tests, as a process of its own: prints its URL as one line, serves until its
 * standard input ends, then stops the server and removes its folder. Input ends with the process
 * that started it, however that one dies, so no server outlives a test run.
 * Its data is in memory where there is plenty: a database is six hundred files, and to make and
 * remove them on a disk takes three times the processor time.
 */
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.js'

const memory = '/dev/shm'

/** Several times what the databases of a whole run hold at any moment. */
const memoryBytesMin = 2 * 1024 ** 3

process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)

const inputEnded = new Promise((resolve) => process.stdin.on('close', resolve).resume())
const folder = await mkdtemp(path.join(await roomyPlace(), 'wallet-test-'))
try {
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  const notice = (line: string): void => console.error(line)
  const server = await openEmbeddedPostgres({
    dataDir: folder,
    serve: false,
    notice,
    isDurable: false,
  })
  process.stdout.write(`${server.url}\n`)
  await inputEnded
  await server.close()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function roomyPlace(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= memoryBytesMin ? memory : tmpdir()
}
