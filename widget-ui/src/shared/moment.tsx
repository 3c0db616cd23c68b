/**
 * A time as people say it, with the exact one as title and for a screen reader. It renews itself
 * once a minute while it is shown.
 */
import { useEffect, useState } from 'preact/hooks'
import { exactTime, relativeTime } from './formats.js'

const renewMs = 60_000

export function Moment({ at }: { at: string }) {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), renewMs)
    return () => clearInterval(timer)
  }, [at])
  const exact = exactTime(at)
  return (
    <time dateTime={at} title={exact}>
      {relativeTime(at, nowMs)}
      <span class="unseen">, {exact}</span>
    </time>
  )
}
