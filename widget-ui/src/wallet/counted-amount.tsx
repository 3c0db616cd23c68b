/**
 * The balance, large. When it changes it counts to its new value in at most 150 ms; a screen reader
 * and whoever wants no motion get the new value at once.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from '../words/say.js'

const countMs = 150

export function CountedAmount(of: { amount: number; format: (amount: number) => string }) {
  const { amount, format } = of
  const [shown, setShown] = useState(amount)
  const from = useRef(amount)
  useEffect(() => {
    const start = from.current
    from.current = amount
    if (start === amount || prefersStillness()) {
      setShown(amount)
      return undefined
    }
    const startMs = performance.now()
    let frame = 0
    const step = (nowMs: number) => {
      const share = Math.min(1, Math.max(0, nowMs - startMs) / countMs)
      // The last value is the told one, not a calculated one.
      setShown(share === 1 ? amount : start + (amount - start) * share)
      if (share < 1) frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [amount])
  return (
    <p class="balance" data-length={lengthOf(format(amount))}>
      <span class="amount" aria-hidden="true">
        {format(shown)}
      </span>
      <span class="unseen">{say('wallet.balanceIs', { amount: format(amount) })}</span>
    </p>
  )
}

/** How large it can be written on 320 px. */
function lengthOf(text: string): 'long' | 'longer' | undefined {
  if (text.length > 12) return 'longer'
  return text.length > 9 ? 'long' : undefined
}

function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}
