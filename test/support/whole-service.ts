/**
 * The whole service as `npm start` composes it, on a database of the test's own: with its address
 * and every route that it has added.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import { startService } from '../../src/compose.js'
import { loadConfig } from '../../src/config.js'
import { dataFolderOf, migratedDatabase } from './database.js'
import { quietLog } from './ledger.js'

export interface WholeService {
  readonly origin: string
  /** Of its database, for commands beside it. */
  readonly databaseUrl: string
  readonly routes: readonly RouteOptions[]
}

/** Closed with the test. */
export async function startWholeService(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
): Promise<WholeService> {
  const routesOfApps: RouteOptions[][] = []
  const listen = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance }
    const routes: RouteOptions[] = []
    routesOfApps.push(routes)
    fastify.addHook('onRoute', (route) => {
      routes.push(route)
    })
  }
  const { url } = await migratedDatabase(t)
  const place = { DATABASE_URL: url, DATA_DIR: dataFolderOf(url) }
  const environment = { ...place, HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'test', ...settings }
  subscribe('fastify.initialization', listen)
  const service = await startService(loadConfig(environment), {
    log: quietLog,
    notice: () => undefined,
  })
  unsubscribe('fastify.initialization', listen)
  t.teardown(() => service.close())
  // The other one is the sandbox, which speaks the API of a card processor.
  const isOurs = (routes: RouteOptions[]) => routes.some(({ url: path }) => path === '/health/live')
  const { origin } = service
  return { origin, databaseUrl: url, routes: routesOfApps.find(isOurs) ?? [] }
}
