/**
 * The built pages that people see: /admin and everything below it is the admin page, /widget/reset
 * the one of a reset link, hashed files lie under /assets/. Promises: every file is read once, at
 * the start, and only those can be asked for, so no path leads out of the folder; hashed files may
 * be kept for ever, a page never; own scripts and styles only, and no other site frames a page.
 * Never: reads the disk for a request, or lists a folder.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.js'
import { ApiError } from '../errors.js'

export interface PagesParts {
  /** What widget-ui/build.mjs filled. */
  readonly folder: string
}

export function registerPages(app: App, { folder }: PagesParts): void {
  const adminPage = readPage(join(folder, 'admin', 'index.html'))
  const resetPage = readPage(join(folder, 'reset', 'index.html'))
  const assets = readAssets(join(folder, 'assets'))

  const sendAdminPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    send({ request, reply, file: adminPage, headers: ownPageHeaders })
  app.get('/admin', sendAdminPage)
  // What a reset link opens: its token stands behind the # and never arrives here.
  app.get('/widget/reset', (request, reply) =>
    send({ request, reply, file: resetPage, headers: ownPageHeaders }),
  )
  app.get<{ Params: { '*': string } }>('/admin/*', (request, reply) => {
    // Ids have no dot: whoever asks for a file here gets a plain 404 instead of a page.
    if (request.params['*'].includes('.')) throw new ApiError('NOT_FOUND')
    return sendAdminPage(request, reply)
  })
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) => {
    const file = assets.get(request.params.name)
    if (file === undefined) throw new ApiError('NOT_FOUND')
    return send({ request, reply, file, headers: assetHeaders })
  })
}

interface PageFile {
  readonly type: string
  readonly content: Buffer
  readonly gzipped: Buffer | undefined
}

const ownPageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

/** A changed file has another name. */
const assetHeaders = { 'cache-control': 'public, max-age=31536000, immutable' }

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

function readPage(path: string): PageFile {
  if (existsSync(path)) return readPageFile(path)
  throw new Error(`The pages are not built: ${path} is missing. Run npm run build.`)
}

function readAssets(folder: string): ReadonlyMap<string, PageFile> {
  return new Map(readdirSync(folder).map((name) => [name, readPageFile(join(folder, name))]))
}

function readPageFile(path: string): PageFile {
  const type = types[extname(path)]
  // A kind of file that nobody thought of: better told at the start than served as a guess.
  if (type === undefined) throw new Error(`${path} is of a kind that has no content type`)
  const content = readFileSync(path)
  const gzipped = gzipSync(content, { level: 9 })
  return { type, content, gzipped: gzipped.length < content.length ? gzipped : undefined }
}

interface Sending {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly file: PageFile
  readonly headers: Readonly<Record<string, string>>
}

function send({ request, reply, file, headers }: Sending): FastifyReply {
  void reply.headers({ ...headers, 'content-type': file.type, vary: 'accept-encoding' })
  if (file.gzipped === undefined || !acceptsGzip(request)) return reply.send(file.content)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  const accepted = headers['accept-encoding']
  return typeof accepted === 'string' && /(^|,)\s*gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)
}
