/**
 * Loaded before every test file (.taprc): each Fastify application of the process is held to its
 * schemas, whoever made it, so no suite can forget to. An answer with a field that its schema does
 * not name, without one that it does, or with a status or type of content that the route does not
 * list makes the test file fail. Light on purpose: most files never make an application.
 */
import { subscribe } from 'node:diagnostics_channel'

subscribe('fastify.initialization', ({ fastify }) => {
  let held
  fastify.addHook('onReady', async () => {
    const { HeldAnswers } = await import('./held-answers.ts')
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
