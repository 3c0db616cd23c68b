/**
 * The schemas of the health pages: whether the process runs, and whether it can serve. Anyone can
 * read them, so they hold nothing but states and sentences.
 */
import { Type, type Static } from '@sinclair/typebox'
import { answers, errorBodyOf } from './answers/error-bodies.js'
import { oneOf } from './answers/values.js'

const partHealthSchema = Type.Object({
  state: oneOf('ok', 'degraded', 'down'),
  detail: Type.Optional(
    Type.String({ description: 'For an operator, without secrets: anyone can read this page' }),
  ),
  lagMs: Type.Optional(Type.Number()),
})

export type PartHealth = Readonly<Static<typeof partHealthSchema>>

const readinessSchema = Type.Object({
  status: oneOf('ready', 'degraded', 'unready'),
  parts: Type.Record(Type.String(), partHealthSchema),
})

export type Readiness = Readonly<Static<typeof readinessSchema>>

export const liveSchema = {
  summary: 'Whether the process runs',
  response: answers(Type.Object({ status: Type.Literal('live') })),
}

/** A service that ends says UNAVAILABLE, as on every route. */
export const readySchema = {
  summary: 'Whether it can serve, and which part does not answer',
  response: {
    ...answers(readinessSchema),
    503: Type.Union([readinessSchema, errorBodyOf('UNAVAILABLE')]),
  },
}
