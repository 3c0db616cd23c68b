/**
 * Why somebody has just left their account, kept for the page that comes next: a shop may build the
 * frame anew when it hears of the leaving, and a bare login would not say that the account is
 * closed. Promises: said once, within a minute, in this tab; without storage nothing is kept.
 */
const key = 'wallet parting word'
const keptForMs = 60_000

export function keepPartingWord(text: string, nowMs = Date.now()): void {
  inStorage((storage) => storage.setItem(key, `${nowMs} ${text}`))
}

export function takePartingWord(nowMs = Date.now()): string | undefined {
  const kept = inStorage((storage) => {
    const found = storage.getItem(key)
    storage.removeItem(key)
    return found
  })
  const [, at, text] = /^(\d+) ([^]+)$/.exec(kept ?? '') ?? []
  return nowMs - Number(at) < keptForMs ? text : undefined
}

/** A frame may have none: then reading it throws. */
function inStorage<Found>(use: (storage: Storage) => Found): Found | undefined {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}
