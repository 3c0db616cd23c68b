/**
 * The wallet of one session, kept current while it is shown: loaded, told of changes by
 * server-sent events, asked for at intervals while those are broken or a top-up is pending, renewed
 * through the host page before the session ends. Promises: one load at a time; what is shown never
 * steps back to an earlier revision, unless the service says that it may be gone; an entry is
 * `fresh` once; a lost connection is known at once.
 * States: loading → shown ↔ (shown while unreachable), loading → failed → loading; any → expired →
 * loading by a new session; any → stopped.
 */
import type {
  WidgetTransaction as Transaction,
  WidgetWallet as Wallet,
} from '../../../src/http/schemas/answers/widget.js'
import { asFailure, type WidgetApi } from '../widget/api.js'
import type { HostPort } from '../widget/host-port.js'

export type LiveState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly text: string }
  | {
      readonly kind: 'shown'
      readonly wallet: Wallet
      /** Entries that came while it was shown. */
      readonly fresh: readonly Transaction[]
      /** The service was asked and did not answer: what is shown may be old. */
      readonly isOld: boolean
      /** When the service last answered, by this device's clock. */
      readonly asOfMs: number
    }
  | { readonly kind: 'expired' }

export interface LiveWalletOptions {
  readonly api: WidgetApi
  readonly host: HostPort
  readonly onState: (state: LiveState) => void
  /** The revision passed the first drawn one. */
  readonly onUpdated: () => void
  /** The service has answered: the session lives, also when there is nothing new to draw. */
  readonly onAnswered?: () => void
}

/** While the events are broken. */
const pollMs = 10_000
/** A proxy that holds events back lets not even the first one through. */
const firstEventMs = 8_000
/** Time for the host's backend, twice. */
const renewBeforeMs = 45_000
const renewAgainMs = 10_000
/** A page that embeds by hand hears of the end so long before: time for its backend, twice. */
const warnBeforeMs = 60_000
/** Banks take minutes to days: now and then is often enough, and the ledger tells of the end. */
const pendingLookMs = 15_000

type TimerName = 'poll' | 'renew' | 'warn' | 'end' | 'first-event' | 'pending'

export class LiveWallet {
  readonly #options: LiveWalletOptions
  #state: LiveState = { kind: 'loading' }
  #isStopped = false
  #loading: Promise<void> | undefined
  #isLoadWanted = false
  #events: EventSource | undefined
  /** The service was set back to an older copy, perhaps: the next answer counts whatever it is. */
  #mayBeGone = false
  #hasEvents = false
  #endsAtMs = Infinity
  #expiresAt = ''
  #warnedOf = ''
  #renewedAtMs = -Infinity
  #renewing: Promise<boolean> | undefined
  readonly #timers = new Map<TimerName, number>()
  readonly #onVisible = (): void => {
    if (document.visibilityState === 'visible') this.load()
  }
  readonly #onOnline = (): void => this.load()
  readonly #onOffline = (): void => this.#showAsOld()

  constructor(options: LiveWalletOptions) {
    this.#options = options
  }

  start(): void {
    const { host } = this.#options
    document.addEventListener('visibilitychange', this.#onVisible)
    window.addEventListener('online', this.#onOnline)
    window.addEventListener('offline', this.#onOffline)
    host.whenJoined(() => this.#planRenewal())
    host.whenToLook(() => this.load())
    host.whenGiven((token) => {
      this.goOn(token).catch(() =>
        console.warn('The session that was given has ended, or is of another person or app.'),
      )
    })
    this.load()
  }

  stop(): void {
    this.#isStopped = true
    document.removeEventListener('visibilitychange', this.#onVisible)
    window.removeEventListener('online', this.#onOnline)
    window.removeEventListener('offline', this.#onOffline)
    this.#rest()
  }

  /** Goes on with another session of the same person and app; throws when it is none. */
  async goOn(token: string): Promise<void> {
    if (this.#isStopped) return
    await this.#options.api.renew(token)
    this.#renewedAtMs = performance.now()
    if (this.#state.kind === 'expired') this.#set({ kind: 'loading' })
    this.#closeEvents()
    this.load()
  }

  /** As `load`, for a person who asked for it and looks. */
  retry(): void {
    if (this.#state.kind === 'failed') this.#set({ kind: 'loading' })
    this.load()
  }

  /** Asks again; while a load runs, once more after it. */
  load(): void {
    if (this.#isStopped || this.#state.kind === 'expired') return
    if (this.#loading !== undefined) {
      this.#isLoadWanted = true
      return
    }
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined
      if (!this.#isLoadWanted) return
      this.#isLoadWanted = false
      this.load()
    })
  }

  async #load(): Promise<void> {
    try {
      const { wallet, lifeMs } = await this.#options.api.walletAndLife()
      if (this.#isStopped) return
      this.#endsAtMs = performance.now() + lifeMs
      this.#expiresAt = wallet.expiresAt
      this.#show(wallet)
      this.#options.onAnswered?.()
      this.#planRenewal()
      if (wallet.pendingTopUps.length > 0) this.#after('pending', pendingLookMs, () => this.load())
      if (this.#events === undefined) this.#openEvents()
    } catch (error) {
      if (this.#isStopped) return
      const failure = asFailure(error)
      if (failure.isExpiry) return this.#onEnded()
      if (this.#state.kind === 'shown') this.#showAsOld()
      else this.#set({ kind: 'failed', text: failure.message })
      this.#poll()
    }
  }

  #showAsOld(): void {
    if (this.#state.kind === 'shown' && !this.#state.isOld)
      this.#set({ ...this.#state, fresh: [], isOld: true })
  }

  #show(wallet: Wallet): void {
    const shown = this.#state.kind === 'shown' ? this.#state : undefined
    const before = shown?.wallet
    const isGone = this.#mayBeGone
    this.#mayBeGone = false
    if (before !== undefined && wallet.revision < before.revision && !isGone) return
    // Nothing new is not said again to whoever listens.
    if (shown?.isOld === false && !isGone && isSame(wallet, shown.wallet)) return
    const known = new Set(before?.transactions.map(({ id }) => id))
    const fresh = before === undefined ? [] : wallet.transactions.filter(({ id }) => !known.has(id))
    this.#set({ kind: 'shown', wallet, fresh, isOld: false, asOfMs: Date.now() })
    if (before !== undefined && wallet.revision > before.revision) this.#options.onUpdated()
  }

  #openEvents(): void {
    this.#closeEvents()
    const events = this.#options.api.walletEvents()
    this.#events = events
    this.#after('first-event', firstEventMs, () => this.#poll())
    events.addEventListener('wallet', ({ data }: MessageEvent<string>) => {
      this.#hasEvents = true
      this.#cancel('first-event', 'poll')
      const { revision, anew } = JSON.parse(data) as { revision: number; anew?: boolean }
      if (anew === true) this.#mayBeGone = true
      if (anew === true || this.#state.kind !== 'shown' || revision > this.#state.wallet.revision)
        this.load()
      else if (this.#state.isOld) this.load()
    })
    events.addEventListener('expired', () => void this.#onEnded())
    events.addEventListener('error', () => {
      // At once, but not at each failed try of the browser: is it only the events, or everything?
      if (this.#hasEvents) this.load()
      this.#hasEvents = false
      this.#poll()
    })
  }

  #closeEvents(): void {
    this.#events?.close()
    this.#events = undefined
    this.#hasEvents = false
  }

  /** Until the events speak again. */
  #poll(): void {
    // Each failed try of the browser comes here: it must not put off what is planned.
    if (this.#timers.has('poll')) return
    this.#after('poll', pollMs, () => {
      if (this.#hasEvents) return
      // The browser tries again by itself, except after a refusal.
      if (this.#events?.readyState === EventSource.CLOSED) this.#closeEvents()
      this.load()
      this.#poll()
    })
  }

  #planRenewal(): void {
    if (this.#state.kind !== 'shown') return
    const leftMs = this.#endsAtMs - performance.now()
    this.#after('end', leftMs + 500, () => this.load())
    if (!this.#options.host.isJoined) {
      this.#after('warn', leftMs - warnBeforeMs, () => void this.#warn())
      return
    }
    this.#cancel('warn')
    // A host that hands out sessions of a few seconds must not keep us renewing without a pause.
    const pauseMs = this.#renewedAtMs + renewAgainMs - performance.now()
    const delayMs = Math.max(leftMs - renewBeforeMs, pauseMs)
    this.#after('renew', delayMs, () => void this.#renew())
  }

  /** Once a session, and only a page without a loader. */
  async #warn(): Promise<void> {
    const { host } = this.#options
    const expiresAt = this.#expiresAt
    if ((await host.mayJoin()) || this.#isStopped || this.#warnedOf === expiresAt) return
    this.#warnedOf = expiresAt
    host.tellSession({ type: 'SERVICE_SESSION_EXPIRING', expiresAt })
  }

  /** One try at a time; a failed one is repeated while the session lives. */
  #renew(): Promise<boolean> {
    this.#renewing ??= this.#tryToRenew().finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  async #tryToRenew(): Promise<boolean> {
    const token = await this.#options.host.newSession()
    try {
      if (token === undefined) throw new Error('the host page has no new session')
      await this.goOn(token)
    } catch {
      if (!this.#isStopped && this.#endsAtMs - performance.now() > renewAgainMs)
        this.#after('renew', renewAgainMs, () => void this.#renew())
      return false
    }
    return !this.#isStopped
  }

  /** Also after a night's sleep: the loader may still bring a new session. */
  async #onEnded(): Promise<void> {
    const { api, host } = this.#options
    const { session } = api
    this.#closeEvents()
    this.#endsAtMs = 0
    if ((await host.mayJoin()) && (await this.#renew())) return
    // A page that embeds by hand may have given a new one in this very moment.
    if (this.#isStopped || this.#state.kind === 'expired' || api.session !== session) return
    this.#rest()
    this.#set({ kind: 'expired' })
    host.tellSession({ type: 'SERVICE_SESSION_EXPIRED' })
  }

  #rest(): void {
    this.#closeEvents()
    this.#cancel(...this.#timers.keys())
  }

  #set(state: LiveState): void {
    this.#state = state
    this.#options.onState(state)
  }

  #after(name: TimerName, delayMs: number, run: () => void): void {
    this.#cancel(name)
    const runOnce = (): void => {
      this.#timers.delete(name)
      run()
    }
    // A longer wait than this overflows; nothing here lives so long.
    const boundedMs = Math.min(Math.max(delayMs, 0), 3_600_000)
    this.#timers.set(name, window.setTimeout(runOnce, boundedMs))
  }

  #cancel(...names: TimerName[]): void {
    for (const name of names) {
      clearTimeout(this.#timers.get(name))
      this.#timers.delete(name)
    }
  }
}

/** The ledger's part by its revision; a pending top-up is no entry of it yet. */
function isSame(one: Wallet, other: Wallet): boolean {
  const pending = ({ pendingTopUps }: Wallet): string => JSON.stringify(pendingTopUps)
  return one.revision === other.revision && pending(one) === pending(other)
}
