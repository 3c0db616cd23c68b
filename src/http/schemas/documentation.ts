/**
 * The schema of what describes all others: the contract as an OpenAPI document, which has a schema
 * of its own that nobody needs here.
 */
import { Type } from '@sinclair/typebox'
import { answers } from './answers/error-bodies.js'

export const documentSchema = {
  summary: 'This document',
  response: answers({ content: { 'application/json': { schema: Type.Unknown() } } }),
}
