/**
 * The contract for whoever integrates: GET /openapi.json, and /docs, where Swagger UI shows it.
 * Promises: the viewer is the package's own file, served by us; the page loads nothing from any
 * other host and runs no text as code. Public, for it says nothing that the repository does not.
 * Never: reads the disk for a request.
 */
import { join } from 'node:path'
import { documentCacheSeconds } from '../limits.js'
import type { App } from '../app.js'
import type { OpenApiDocument } from '../openapi/document.js'
import { readPage, sendFile } from '../page-files.js'
import { documentSchema } from '../schemas/documentation.js'
import { assetSchema, pageSchema } from '../schemas/public.js'
import { checked } from '../contract.js'
import { ApiError } from '../errors.js'
import { ownPageHeaders } from './pages.js'

export interface DocumentationParts {
  /** What widget-ui/build.mjs filled. */
  readonly folder: string
  readonly document: OpenApiDocument
}

/** As the package names them. */
export const viewerFiles = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const

export function registerDocumentation(app: App, { folder, document }: DocumentationParts): void {
  app.get('/openapi.json', { schema: documentSchema }, async (_request, reply) =>
    reply
      .headers({ ...documentHeaders, 'content-type': 'application/json; charset=utf-8' })
      .send(await document.text()),
  )
  const page = readPage(join(folder, 'docs', 'index.html'))
  const docs = { schema: pageSchema('The contract, to browse') }
  app.get('/docs', docs, (request, reply) =>
    sendFile({ request, reply, file: page, headers: pageHeaders }),
  )
  const files = new Map(
    viewerFiles.map((name) => [name as string, readPage(join(folder, 'docs', name))]),
  )
  app.get('/docs/:name', { schema: assetSchema }, (request, reply) => {
    const file = files.get(checked(request).params.name)
    if (file === undefined) throw new ApiError('NOT_FOUND')
    return sendFile({ request, reply, file, headers: viewerHeaders })
  })
}

const own = ownPageHeaders('self')

/** The viewer's icons are data: addresses inside its style sheet. */
const pageHeaders = {
  ...own,
  'content-security-policy': String(own['content-security-policy']).replace(
    "img-src 'self'",
    "img-src 'self' data:",
  ),
}

/** Tools in other pages may read it: it is public and holds nothing of anybody. */
const documentHeaders = {
  'access-control-allow-origin': '*',
  'cache-control': `public, max-age=${documentCacheSeconds}`,
  'cross-origin-resource-policy': 'cross-origin',
}

/** Their names stay when the package changes. */
const viewerHeaders = { 'cache-control': `public, max-age=${documentCacheSeconds}` }
