/**
 * What anybody may check: the signed checkpoints with their public keys, the page that checks an
 * audit bundle in the browser, and the script that does the same offline. Public, for they hold
 * nothing private. Promises: the page can send nothing anywhere (connect-src 'none').
 * Never: makes a checkpoint, or reads the disk for a request.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf, published } from '../../audit/proofs/checkpoint-format.js'
import type { SignedCheckpoint } from '../../audit/proofs/checkpoint-format.js'
import { listCheckpoints, readKeys } from '../../audit/proofs/checkpoint-rows.js'
import { checkpointCacheSeconds } from '../../audit/limits.js'
import type { Pool } from '../../platform/postgres.js'
import type { App } from '../app.js'
import { checked } from '../contract.js'
import { ApiError } from '../errors.js'
import { readPage, sendFile } from '../page-files.js'
import { pageOf } from '../schemas/admin.js'
import {
  checkpointReadSchema,
  checkpointsSchema,
  pageSchema,
  scriptSchema,
} from '../schemas/public.js'
import { ownPageHeaders } from './pages.js'

export interface AuditRouteParts {
  readonly pool: Pool
  /** What widget-ui/build.mjs filled. */
  readonly folder: string
}

export function registerAuditRoutes(app: App, { pool, folder }: AuditRouteParts): void {
  const list = { schema: checkpointsSchema }
  app.get('/.well-known/wallet-checkpoints', list, async (request, reply) => {
    const { limit, before } = pageOf(checked(request).query)
    // One more than asked for tells whether there is a next page.
    const found = await listCheckpoints(pool, { before, limit: limit + 1 })
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    void reply.headers(publicHeaders)
    return {
      checkpoints: shown.map(withHash),
      keys: published(await readKeys(pool)),
      ...(found.length > limit && last && { nextCursor: String(last.checkpoint.number) }),
    }
  })

  const one = { schema: checkpointReadSchema }
  app.get('/.well-known/wallet-checkpoints/:number', one, async (request, reply) => {
    const number = numberOf(checked(request).params.number)
    const [found] = await listCheckpoints(pool, { before: number + 1, limit: 1 })
    if (found?.checkpoint.number !== number) throw new ApiError('NOT_FOUND')
    void reply.headers(publicHeaders)
    return { ...withHash(found), keys: published(await readKeys(pool)) }
  })

  const page = readPage(join(folder, 'verify', 'index.html'))
  const headers = ownPageHeaders('none')
  const verify = { schema: pageSchema('Checks an audit bundle in the browser') }
  app.get('/audit/verify', verify, (request, reply) =>
    sendFile({ request, reply, file: page, headers }),
  )

  const script = readFileSync(join(folder, 'verify-bundle.mjs'))
  const download = { schema: scriptSchema('The script that checks an audit bundle offline') }
  app.get('/audit/verify-bundle.mjs', download, (_request, reply) =>
    reply.headers(scriptHeaders).send(script),
  )
}

function withHash(signed: SignedCheckpoint): SignedCheckpoint & { readonly hash: string } {
  return { ...signed, hash: hashOf(signed) }
}

function numberOf(text: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text)
  throw new ApiError('NOT_FOUND')
}

/** Any page of any site may read them. */
const publicHeaders = {
  'cache-control': `public, max-age=${checkpointCacheSeconds}`,
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

const scriptHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'content-disposition': 'attachment; filename="verify-bundle.mjs"',
  'cache-control': 'no-cache',
}
