/**
 * The built pages that people see: /admin and everything below it is the admin page, to which /
 * leads; /widget/reset and /widget/confirm the one of links in mails; hashed files lie under
 * /assets/. Promises: every file is read once, at the start, and only those can be asked for, so no
 * path leads out of the folder; hashed files may be kept for ever, a page never; own scripts and
 * styles only, and no other site frames a page.
 * Never: reads the disk for a request, or lists a folder.
 */
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unnamedService, type ServiceIdentity } from '../../platform/service-identity.js'
import type { App } from '../app.js'
import { checked } from '../contract.js'
import { ApiError } from '../errors.js'
import { pageService, readFolder, readPage, readTemplate, sendFile } from '../page-files.js'
import { adminPageSchema, assetSchema, homeSchema, pageSchema } from '../schemas/public.js'

export interface PagesParts {
  /** What widget-ui/build.mjs filled. */
  readonly folder: string
  readonly service?: ServiceIdentity
}

export function registerPages(app: App, { folder, service = unnamedService }: PagesParts): void {
  const adminPage = readPage(join(folder, 'admin', 'index.html'))
  const resetPage = readTemplate(join(folder, 'reset', 'index.html'))({
    service: pageService(service),
  })
  const assets = readFolder(join(folder, 'assets'))
  const headers = ownPageHeaders('self')

  const sendAdminPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    sendFile({ request, reply, file: adminPage, headers })
  app.get('/admin', { schema: pageSchema('The admin area') }, sendAdminPage)
  app.get('/', { schema: homeSchema }, (_request, reply) => {
    void reply.redirect('/admin', 302)
  })
  // What a reset link opens: its token stands behind the # and never arrives here.
  const reset = { schema: pageSchema('Where a person chooses a new password') }
  app.get('/widget/reset', reset, (_request, reply) =>
    reply.headers({ ...headers, 'content-type': 'text/html; charset=utf-8' }).send(resetPage),
  )
  // The same page: what the link of an email opens.
  const confirm = { schema: pageSchema('Where a person confirms an email') }
  app.get('/widget/confirm', confirm, (_request, reply) =>
    reply.headers({ ...headers, 'content-type': 'text/html; charset=utf-8' }).send(resetPage),
  )
  app.get('/admin/*', { schema: adminPageSchema }, (request, reply) => {
    // Ids have no dot: whoever asks for a file here gets a plain 404 instead of a page.
    if (checked(request).params['*'].includes('.')) throw new ApiError('NOT_FOUND')
    return sendAdminPage(request, reply)
  })
  app.get('/assets/:name', { schema: assetSchema }, (request, reply) => {
    const file = assets.get(checked(request).params.name)
    if (file === undefined) throw new ApiError('NOT_FOUND')
    return sendFile({ request, reply, file, headers: assetHeaders })
  })
}

/** `sendsTo`: whom the page may ask or send something, this service or nobody at all. */
export function ownPageHeaders(sendsTo: 'self' | 'none'): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      `connect-src '${sendsTo}'`,
      `form-action '${sendsTo}'`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
}

/** A changed file has another name. */
const assetHeaders = { 'cache-control': 'public, max-age=31536000, immutable' }
