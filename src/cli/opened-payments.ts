/**
 * What an audit on the command line asks about payments. Promises: the card processor is opened
 * only when it is asked, and closed again, whatever becomes of the work.
 */
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import { PaymentRecords } from '../top-ups/payment-records.js'
import type { Payments } from '../top-ups/payments.js'
import type { AuditWork } from './opened-ledger.js'

export async function withPayments<T>(
  { config, pool, log }: Pick<AuditWork, 'config' | 'pool' | 'log'>,
  work: (payments: PaymentRecords) => Promise<T>,
): Promise<T> {
  const system = { pool, clock: systemClock, random: systemRandom, log }
  let opening: Promise<Payments> | undefined
  const open = async (): Promise<Payments> => {
    // Loaded here: nearly every audit finds the rows of all top-ups and asks nobody.
    const { openPayments } = await import('../top-ups/payments.js')
    return openPayments(config.payments, system)
  }
  const processor = async () => (await (opening ??= open())).processor
  try {
    return await work(new PaymentRecords({ ...system, processor }))
  } finally {
    await (await opening)?.close()
  }
}
