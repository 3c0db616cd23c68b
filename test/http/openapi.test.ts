/**
 * The contract as a document: valid OpenAPI 3.1 by another's judgement, with an example and every
 * error of every route, the same as the file in docs/reference, and said in the documents too.
 * After a change on purpose: UPDATE_OPENAPI=1 npm test -- test/http/openapi.test.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { errorTable } from '../../src/http/error-table.js'
import { groups } from '../../src/http/openapi/groups.js'
import { fieldsOf, operationsOf, type OpenApi } from '../support/openapi.js'
import { root, textOf } from '../support/repository.js'
import { startWholeService } from '../support/whole-service.js'

const file = 'docs/reference/openapi.json'
const { origin, routes } = await startWholeService(t)
const answer = await fetch(`${origin}/openapi.json`)
const text = await answer.text()
const document = JSON.parse(text) as OpenApi
if (process.env['UPDATE_OPENAPI'] === '1') writeFileSync(join(root, file), text)

t.test('the checked-in document is what the service answers', (t) => {
  t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  t.equal(answer.headers.get('access-control-allow-origin'), '*', 'for tools in other pages')
  const stale = `UPDATE_OPENAPI=1 npm test -- test/http/openapi.test.ts writes ${file}`
  t.ok(readFileSync(join(root, file), 'utf8') === text, stale)
  t.end()
})

t.test('an independent validator takes it for OpenAPI 3.1', async (t) => {
  const validator = new Validator()
  const verdict = await validator.validate(JSON.parse(text) as Record<string, unknown>)
  t.same(verdict, { valid: true })
  t.equal(validator.version, '3.1')
  const broken = JSON.parse(text) as { paths: Record<string, unknown> }
  broken.paths['no-slash'] = {}
  t.equal((await new Validator().validate(broken)).valid, false, 'and not anything at all')
})

t.test('every route of an API is in it, in the group of who calls it', (t) => {
  const drawn = operationsOf(document).map(({ method, path }) => `${method} ${path}`)
  const served = routes
    .filter(({ method, url }) => !['HEAD', 'OPTIONS'].includes(String(method)) && !isPage(url))
    .map(({ method, url }) => `${String(method)} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)
  t.same(drawn.toSorted(), served.toSorted())
  t.same(document.tags.map(({ name }) => name).slice(0, 3), ['Server', 'Widget', 'Admin'])
  for (const { path, operation } of operationsOf(document)) {
    const [tag] = operation.tags
    const group = groups.find(({ name }) => name === tag)
    t.ok(group, `${path} is of the group ${tag ?? 'none'}`)
  }
  const byId = new Set(operationsOf(document).map(({ operation }) => operation.operationId))
  t.equal(byId.size, drawn.length, 'no two have one name')
  t.end()
})

/** Pages and files, for browsers. */
function isPage(url: string): boolean {
  return !/^\/(api|health|metrics|\.well-known|openapi\.json)/.test(url)
}

t.test('every route has an example and every error that it may give, with its sentence', (t) => {
  const { responses, schemas, examples } = document.components
  t.same(Object.keys(schemas).toSorted(), Object.keys(errorTable).toSorted())
  for (const { method, path, operation } of operationsOf(document)) {
    const name = `${method} ${path}`
    for (const media of Object.values(operation.requestBody?.content ?? {}))
      t.ok('example' in media, `${name} has an example of its body`)
    for (const { required, example, name: parameter } of operation.parameters ?? [])
      if (required) t.ok(example !== undefined, `${name} has an example of ${parameter}`)
    for (const status of ['400', '429', '500', '503'])
      t.ok(status in operation.responses, `${name} says when it answers ${status}`)
  }
  for (const [name, { description, content }] of Object.entries(responses))
    for (const code of name.split('.')) {
      t.match(description, code)
      t.ok(content['application/json']?.examples[code], `${name} shows ${code}`)
      t.match(examples[code]?.value, { code, error: errorTable[code as 'INTERNAL'].text })
    }
  t.notMatch(text, /"<\w+>"/, 'an example is missing: see src/http/openapi/examples.ts')
  const { headers } = responses['UNAVAILABLE'] ?? {}
  t.ok(headers?.['Retry-After'], 'a 503 says when to come back')
  t.end()
})

const pages: Readonly<Record<string, string>> = {
  Server: 'docs/reference/server-api.md docs/reference/widget-api.md',
  Admin: 'docs/reference/admin-api.md',
  Widget: 'docs/reference/widget-api.md docs/reference/top-ups.md docs/reference/server-api.md',
}

t.test('the documents name every field of the contract, by its name of today', (t) => {
  t.same(unnamed(document), [])
  // A field with another name would be noticed: here, and in the file above.
  const renamed = JSON.parse(text.replaceAll('"shortfall"', '"lacking"')) as OpenApi
  t.same(unnamed(renamed).length > 0, true)
  t.end()
})

/** Fields that the page of their group does not mention. */
function unnamed(contract: OpenApi): string[] {
  return Object.entries(pages).flatMap(([tag, files]) => {
    const words = new Set(
      files
        .split(' ')
        .map(textOf)
        .join('\n')
        .match(/\w[\w-]*\w|\w/g),
    )
    const missing = fieldsOf(contract, tag).filter((name) => !words.has(name))
    return missing.map((name) => `${name} of ${tag}`)
  })
}

t.test(
  'the viewer is served by us, compressed, under a policy without a foreign host',
  async (t) => {
    const page = await fetch(`${origin}/docs`)
    t.equal(page.status, 200)
    const policy = page.headers.get('content-security-policy') ?? ''
    t.match(
      policy,
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;",
    )
    t.notMatch(policy, /unsafe|http/)
    const html = await page.text()
    for (const [, path = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      t.match(path, /^\//, 'its own host')
      const part = await fetch(origin + path)
      t.equal(part.status, 200, path)
      if (path.endsWith('bundle.js')) t.equal(part.headers.get('content-encoding'), 'gzip')
      await part.arrayBuffer()
    }
    t.equal((await fetch(`${origin}/docs/package.json`)).status, 404)
  },
)
