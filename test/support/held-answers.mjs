/**
 * Loaded before every test file (run.mjs): each Fastify application of the process is held to its
 * schemas, whoever made it, so no suite can forget to. An answer with a field that its schema does
 * not name, without one that it does, or with a status or type of content that the route does not
 * list makes the test file fail. Light on purpose: most files never make an application.
 */
import { subscribe } from 'node:diagnostics_channel'

subscribe('fastify.initialization', ({ fastify }) => {
  let held
  let hasSchemas = false
  fastify.addHook('onRoute', ({ schema }) => {
    hasSchemas ||= schema?.response !== undefined
  })
  fastify.addHook('onReady', async () => {
    // Not ours: the sandbox speaks the API of a card processor.
    if (!hasSchemas) return
    const { HeldAnswers } = await import('./held-answers.js')
    held = new HeldAnswers()
  })
  fastify.addHook('preSerialization', async (request, _reply, payload) => {
    held?.keep(request, payload)
    return payload
  })
  fastify.addHook('onSend', async (request, reply, payload) => {
    held?.hold(request, reply, payload)
    return payload
  })
})
