/**
 * The wallet of one session, kept current while it is shown: loaded, told of changes by
 * server-sent events, asked for at intervals while those are broken, renewed through the loader
 * before the session ends. Promises: one load at a time; what is shown never steps back to an
 * earlier revision, unless the service says that it may be gone; an entry is `fresh` once.
 * States: loading → shown ↔ (shown while unreachable), loading → failed → loading; any → expired,
 * any → stopped.
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

type TimerName = 'poll' | 'renew' | 'end' | 'first-event'

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
  #renewedAtMs = -Infinity
  #renewing: Promise<boolean> | undefined
  readonly #timers = new Map<TimerName, number>()
  readonly #onVisible = (): void => {
    if (document.visibilityState === 'visible') this.load()
  }

  constructor(options: LiveWalletOptions) {
    this.#options = options
  }

  start(): void {
    document.addEventListener('visibilitychange', this.#onVisible)
    this.#options.host.whenJoined(() => this.#planRenewal())
    this.load()
  }

  stop(): void {
    this.#isStopped = true
    document.removeEventListener('visibilitychange', this.#onVisible)
    this.#closeEvents()
    for (const timer of this.#timers.values()) clearTimeout(timer)
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
      this.#show(wallet)
      this.#options.onAnswered?.()
      this.#planRenewal()
      if (this.#events === undefined) this.#openEvents()
    } catch (error) {
      if (this.#isStopped) return
      const failure = asFailure(error)
      if (failure.isExpiry) return this.#onEnded()
      if (this.#state.kind === 'shown') this.#set({ ...this.#state, fresh: [], isOld: true })
      else this.#set({ kind: 'failed', text: failure.message })
      this.#poll()
    }
  }

  #show(wallet: Wallet): void {
    const shown = this.#state.kind === 'shown' ? this.#state : undefined
    const before = shown?.wallet
    const isGone = this.#mayBeGone
    this.#mayBeGone = false
    if (before !== undefined && wallet.revision < before.revision && !isGone) return
    // Nothing new is not said again to whoever listens.
    if (wallet.revision === before?.revision && shown?.isOld === false && !isGone) return
    const known = new Set(before?.transactions.map(({ id }) => id))
    const fresh = before === undefined ? [] : wallet.transactions.filter(({ id }) => !known.has(id))
    this.#set({ kind: 'shown', wallet, fresh, isOld: false })
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
    if (!this.#options.host.isJoined) return
    // A host that hands out sessions of a few seconds must not keep us renewing without a pause.
    const pauseMs = this.#renewedAtMs + renewAgainMs - performance.now()
    const delayMs = Math.max(leftMs - renewBeforeMs, pauseMs)
    this.#after('renew', delayMs, () => void this.#renew())
  }

  /** One try at a time; a failed one is repeated while the session lives. */
  #renew(): Promise<boolean> {
    this.#renewing ??= this.#tryToRenew().finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  async #tryToRenew(): Promise<boolean> {
    const { api, host } = this.#options
    const token = await host.newSession()
    try {
      if (token === undefined) throw new Error('the host page has no new session')
      await api.renew(token)
    } catch {
      if (!this.#isStopped && this.#endsAtMs - performance.now() > renewAgainMs)
        this.#after('renew', renewAgainMs, () => void this.#renew())
      return false
    }
    if (this.#isStopped) return false
    this.#renewedAtMs = performance.now()
    this.#closeEvents()
    this.load()
    return true
  }

  /** Also after a night's sleep: the loader may still bring a new session. */
  async #onEnded(): Promise<void> {
    this.#closeEvents()
    this.#endsAtMs = 0
    if ((await this.#options.host.mayJoin()) && (await this.#renew())) return
    if (this.#isStopped) return
    this.#set({ kind: 'expired' })
    this.stop()
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
