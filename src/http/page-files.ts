/**
 * Built files of widget-ui: read once, at the start, with their content type and compressed, and
 * sent as they are. Never: reads the disk for a request, or guesses what a file is.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceIdentity } from '../platform/service-identity.js'
import type { PageData, PageService } from './schemas/answers/page-data.js'

export interface PageFile {
  readonly type: string
  readonly content: Buffer
  readonly gzipped: Buffer | undefined
}

export function readPage(path: string): PageFile {
  if (existsSync(path)) return readPageFile(path)
  throw new Error(`The pages are not built: ${path} is missing. Run npm run build.`)
}

export function readFolder(folder: string): ReadonlyMap<string, PageFile> {
  return new Map(readdirSync(folder).map((name) => [name, readPageFile(join(folder, name))]))
}

const place = '<!--page-data-->'

/** A page around its data, which `widget/page-data.ts` reads. */
export function readTemplate(path: string): (data: Partial<PageData>) => string {
  const [before = '', after] = readPage(path).content.toString('utf8').split(place)
  if (after === undefined) throw new Error(`${path} has no ${place}`)
  return (data) => {
    // No text can end the block: whatever begins a tag is written as JSON's own escape.
    const json = JSON.stringify(data).replaceAll('<', '\\u003c')
    return `${before}<script type="application/json" id="page-data">${json}</script>${after}`
  }
}

/** What pages say about who runs the service. */
export function pageService(service: ServiceIdentity): PageService {
  return {
    name: service.name ?? null,
    logo: service.logoFile === undefined ? null : '/widget/logo',
    support: service.support ?? null,
    terms: service.termsUrl ?? null,
    privacy: service.privacyUrl ?? null,
  }
}

export interface Sending {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly file: PageFile
  readonly headers: Readonly<Record<string, string>>
}

export function sendFile({ request, reply, file, headers }: Sending): FastifyReply {
  void reply.headers({ ...headers, 'content-type': file.type, vary: 'accept-encoding' })
  if (file.gzipped === undefined || !acceptsGzip(request)) return reply.send(file.content)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  // Types of the loader: for an editor, not for a browser.
  '.ts': 'text/plain; charset=utf-8',
}

function readPageFile(path: string): PageFile {
  const type = types[extname(path)]
  // A kind of file that nobody thought of: better told at the start than served as a guess.
  if (type === undefined) throw new Error(`${path} is of a kind that has no content type`)
  const content = readFileSync(path)
  // A large file was compressed when it was built: a start does not wait for that.
  const built = `${path}.gz`
  const gzipped = existsSync(built) ? readFileSync(built) : gzipSync(content, { level: 9 })
  return { type, content, gzipped: gzipped.length < content.length ? gzipped : undefined }
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  const accepted = headers['accept-encoding']
  return typeof accepted === 'string' && /(^|,)\s*gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)
}
