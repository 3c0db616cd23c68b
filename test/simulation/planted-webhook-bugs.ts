/** The bugs of webhooks that the simulation must find; see planted-bug-list.ts. */
import type { PlantedBug } from './planted-bug-list.js'

const feeding = 'src/webhooks/feeding.ts'
const sender = 'src/webhooks/sender.ts'

export const plantedWebhookBugs: readonly PlantedBug[] = [
  {
    name: 'webhooks: the checkpoint is moved before there are rows',
    changes: [
      {
        file: feeding,
        from: '  return parts.tables.transaction(async (tables) => {',
        to: '  const late = []\n  const fed = await parts.tables.transaction(async (tables) => {',
      },
      {
        file: feeding,
        from: 'await tables.insertDeliveries(planned, parts.clock.now())',
        to: 'late.push(...planned)',
      },
      {
        file: feeding,
        from: 'hasListeners: listeners.length > 0 }\n  })\n',
        to:
          'hasListeners: listeners.length > 0 }\n  })\n' +
          '  const nowMs = parts.clock.now()\n' +
          '  await parts.tables.transaction((tables) => tables.insertDeliveries(late, nowMs))\n' +
          '  return fed\n',
      },
    ],
  },
  {
    name: 'webhooks: the next of a wallet is sent although the one before it failed',
    changes: [{ file: sender, from: 'if (fault !== null) break', to: '' }],
  },
  {
    name: 'webhooks: what got no answer counts as delivered',
    changes: [
      {
        file: sender,
        from: 'isDelivered: fault === null,',
        to: 'isDelivered: fault === null || status === null,',
      },
    ],
  },
  {
    name: 'webhooks: a low balance is told at every entry',
    changes: [
      {
        file: 'src/webhooks/notices.ts',
        from: 'before > minor && balanceMinor <= minor',
        to: 'balanceMinor <= minor',
      },
    ],
  },
  {
    name: 'webhooks: an entry is told to every app that is linked',
    changes: [
      {
        file: 'src/webhooks/planned-deliveries.ts',
        from: 'notice.clientId === undefined\n',
        to: "notice.type !== 'hold.expired'\n",
      },
    ],
  },
  {
    name: 'webhooks: the outbox does not wait for the log before it',
    changes: [
      {
        file: 'src/webhooks/outbox.ts',
        from: '(row.afterPosition ?? position + 1n) <= position',
        to: '(row.afterPosition ?? position) >= 0n',
      },
    ],
  },
]
