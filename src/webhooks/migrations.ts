/**
 * The migrations of the webhooks, in their order, for ever. Never: changed once released; what
 * comes next is a new file.
 */
import { readFileSync } from 'node:fs'
import type { Migration } from '../platform/migrations.js'

export const webhooksMigration: Migration = {
  name: '0026-webhooks',
  sql: readFileSync(new URL('./webhooks.sql', import.meta.url), 'utf8'),
}
