/**
 * Random requests made from the checked-in document: two hundred here, twenty thousand with
 * `npm run random-requests`. Every answer is also held to its schema, as in all tests.
 */
import fc from 'fast-check'
import t from 'tap'
import { operationsOf, type OpenApi } from '../support/openapi.js'
import { propertySeed } from '../support/property.js'
import { RandomClient, requestsOf, settings } from '../support/random-requests.js'
import { textOf } from '../support/repository.js'
import { startWholeService } from '../support/whole-service.js'

t.test('random requests get documented answers, and never a 5xx', async (t) => {
  const document = JSON.parse(textOf('docs/reference/openapi.json')) as OpenApi
  const { origin } = await startWholeService(t, settings)
  const client = new RandomClient(origin, document)
  const seed = propertySeed(t)
  const requests = fc.sample(requestsOf(document), { seed, numRuns: 200 })
  for (const request of requests) {
    const problem = await client.problemOf(request)
    if (problem !== undefined) t.fail(problem)
  }
  t.ok((client.statuses.get(200) ?? 0) > 10, 'many of them are right')
  t.ok((client.statuses.get(400) ?? 0) > 10, 'and many are wrong')
  const all = operationsOf(document).length
  t.ok(client.operations.size > all * 0.8, `${client.operations.size} of ${all} operations`)
})
