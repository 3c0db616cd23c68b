/**
 * A list of commands with all its tries: in requests of at most 500, one after the other; commands
 * that were answered with a fault go again by themselves, after a pause, until the tries are used
 * up. Promises: one booking for each order, in their order. Never: changes an order between tries.
 */
import { amountNumber } from './amounts.js'
import { appliedIn, declinedIn, refusalIn } from './answers.js'
import { backOffMs, type CallBounds } from './calls.js'
import type { BulkAnswer, BulkBooking, BulkOrder, BulkResult } from './contract.js'
import { bulkCommandsMax } from './limits.js'
import type { Runtime } from './runtime.js'

type Send = (commands: readonly BulkOrder[]) => Promise<BulkAnswer>

export async function bulkBookings(
  orders: readonly BulkOrder[],
  send: Send,
  bounds: CallBounds,
  runtime: Runtime,
): Promise<readonly BulkBooking[]> {
  // All amounts first: one that is none must not be found after a part is booked.
  const commands = orders.map((order) => ({ ...order, amount: amountNumber(order.amount) }))
  const bookings: BulkBooking[] = []
  for (let start = 0; start < commands.length; start += bulkCommandsMax) {
    const part = commands.slice(start, start + bulkCommandsMax)
    bookings.push(...(await bookingsOf(part, send, bounds, runtime)))
  }
  return bookings
}

async function bookingsOf(
  commands: readonly BulkOrder[],
  send: Send,
  { triesMax, totalMs }: CallBounds,
  runtime: Runtime,
): Promise<readonly BulkBooking[]> {
  const endsAt = runtime.now() + totalMs
  const bookings = commands.map((): BulkBooking => ({ outcome: 'unknown' }))
  let open = [...commands.keys()]
  for (let tries = 1; ; tries += 1) {
    const { results } = await send(open.flatMap((index) => commands[index] ?? []))
    open = open.filter((index, place) => {
      const booking = bookingIn(results[place])
      if (booking !== undefined) bookings[index] = booking
      return booking === undefined
    })
    const pauseMs = backOffMs(tries, runtime)
    const isLast = tries >= triesMax || runtime.now() + pauseMs >= endsAt
    if (open.length === 0 || isLast) return bookings
    await runtime.pause(pauseMs)
  }
}

/** Undefined for what says nothing about the command: it may or may not be booked. */
function bookingIn(result: BulkResult | undefined): BulkBooking | undefined {
  if (result === undefined || result.status >= 500 || result.status === 429) return undefined
  const { status, body } = result
  if (status === 200) return appliedIn(body)
  return declinedIn(body) ?? { ...refusalIn(status, body), outcome: 'refused' }
}
