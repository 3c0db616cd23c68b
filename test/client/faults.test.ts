/**
 * The client and a service that it does not reach well: two hundred debits over a way that loses,
 * delays, halves and resets, with a restart of the service; `npm run client-faults` does ten
 * thousand, with a service that is killed.
 */
import t from 'tap'
import { startService } from '../../src/compose.js'
import { loadConfig } from '../../src/config.js'
import { quietLog } from '../support/ledger.js'
import { propertySeed } from '../support/property.js'
import { startOwnService } from '../spec/support/own-service.js'
import { faults } from './faulty-proxy.js'
import { runWithFaults } from './fault-run.js'

const debits = 200

t.test(
  `${debits} debits over a bad way are each booked once, and none stays unknown`,
  async (t) => {
    const own = await startOwnService(t, 'PostgreSQL')
    const accounts = [await own.account(), await own.account(), await own.account()]
    const config = loadConfig(own.control.environment)
    const surroundings = { log: quietLog, notice: () => undefined }
    // The service of the suite stays: what the proxy leads to is another one on the same data.
    let service = await startService(config, surroundings)
    t.teardown(() => service.close())
    const portOf = (): number => Number(new URL(service.origin).port)
    const verdict = await runWithFaults({
      seed: propertySeed(t),
      debits,
      atOnce: 40,
      restarts: 1,
      users: accounts.map(({ serviceUserId }) => serviceUserId),
      credentials: own.first,
      timeoutMs: 400,
      // A twentieth of the pauses: what is waited for is not what is tested here.
      runtime: { pause: (ms) => new Promise((resolve) => void setTimeout(resolve, ms / 20)) },
      port: portOf(),
      restart: async () => {
        await service.close()
        service = await startService(config, surroundings)
        return portOf()
      },
    })
    t.same(verdict.wrong, [])
    t.same(verdict.balances, verdict.expectedBalances)
    for (const fault of faults) t.ok((verdict.faults[fault] ?? 0) > 0, fault)
  },
)
