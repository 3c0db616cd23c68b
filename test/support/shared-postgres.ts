/**
 * A PostgreSQL for several real processes of a program, in a folder of its own that they may share
 * as their data folder too. Promises: `close` stops it and removes the folder.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.js'

export interface SharedPostgres {
  readonly url: string
  readonly folder: string
  close(): Promise<void>
}

export async function openSharedPostgres(name: string): Promise<SharedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), name))
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  const server = await openEmbeddedPostgres({
    dataDir: join(folder, 'database'),
    serve: false,
    notice: (line) => console.log(line),
    isDurable: false,
  })
  return {
    url: server.url,
    folder,
    close: async () => {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
