/**
 * Does what a top-up needs: asks for the intent, pays, asks what became of it, follows the wallet.
 * Promises: one payment at a time, whatever is clicked; every end is the service's own word;
 * SERVICE_WALLET_UPDATED goes to whoever framed or opened the page when the wallet has changed
 * since it was first seen, or when this top-up is booked.
 * States: idle, or busy with one piece of work; what is shown is the flow's (top-up-flow.ts).
 */
import { timedAnswer } from '../shared/timed-answer.js'
import { LiveWallet, type LiveState } from '../wallet/live-wallet.js'
import type { WidgetWallet as Wallet } from '../../../src/http/schemas/answers/widget.js'
import { asFailure, type ApiFailure, type WidgetApi } from '../widget/api.js'
import type { HostPort } from '../widget/host-port.js'
import { postToOpener, postToParent } from '../widget/messages.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { currentSpeech, say } from '../words/say.js'
import { settle, type Attempt } from './settling.js'
import type { ConfirmAnswer, Intent, Step } from './top-up-flow.js'

/** A renewal through the host page takes at most so long; then the session counts as ended. */
const sessionLookMs = 45_000

export interface TopUpRunParts {
  readonly api: WidgetApi
  readonly data: PageData
  readonly host: HostPort
  readonly step: (step: Step) => void
  readonly onWallet: (wallet: Wallet) => void
  /** Why an amount was refused, in words. */
  readonly refusalOf: (failure: ApiFailure) => string
}

export class TopUpRun {
  readonly #parts: TopUpRunParts
  readonly #live: LiveWallet
  #isBusy = false
  #hasPosted = false
  #isPendingTold = false
  #hasEnded = false
  /** The session ended before it was known what became of the payment. */
  #isUnsettled = false
  #paymentIntentId: string | undefined
  #wake: () => void = () => undefined
  #answerBank: (approved: boolean) => void = () => undefined
  #onLook: (isLive: boolean) => void = () => undefined

  constructor(parts: TopUpRunParts) {
    this.#parts = parts
    this.#live = new LiveWallet({
      api: parts.api,
      host: parts.host,
      onState: (state) => this.#onLiveState(state),
      onUpdated: () => {
        this.#post()
        this.#wake()
      },
      onAnswered: () => this.#onLook(true),
    })
  }

  /** `returning`: the payment with which a bank's own page led back here. */
  start({ returning }: { returning: string | undefined }): void {
    this.#live.start()
    if (returning === undefined) return
    this.#paymentIntentId = returning
    void this.#alone(() => this.#finish({ hint: 'unknown', words: say('pay.refused') }))
  }

  stop(): void {
    this.#live.stop()
  }

  /** Goes on with another session of this person; throws when it is somebody else's. */
  goOn(sessionToken: string): Promise<void> {
    return this.#live.goOn(sessionToken)
  }

  /** A new intent for this amount. */
  prepare(amount: number): void {
    const { api, step } = this.#parts
    void this.#alone(async () => {
      try {
        const body = { amount }
        const make = () => api.call<Intent>('POST', '/api/widget/topup/create-intent', { body })
        const intent = await make().catch(async (error: unknown) => {
          if (!asFailure(error).isExpiry || !(await this.#isStillLive())) throw error
          return make()
        })
        step({ type: 'intent made', intent })
      } catch (error) {
        this.#refuse(asFailure(error))
      }
    })
  }

  pay(intent: Intent, attempt: () => Promise<Attempt>): void {
    void this.#alone(async () => {
      this.#paymentIntentId = intent.paymentIntentId
      const { step, host } = this.#parts
      step({ type: 'pay' })
      host.tellPaying(true)
      const attempted = await attempt().finally(() => host.tellPaying(false))
      await this.#finish(attempted)
    })
  }

  lookAgain(): void {
    void this.#alone(async () => {
      this.#parts.step({ type: 'look again' })
      await this.#finish({ hint: 'unknown', words: say('pay.refused') })
    })
  }

  /** Shows the bank's check and waits for what the person decides. */
  askBank(): Promise<boolean> {
    const { step } = this.#parts
    step({ type: 'bank asks' })
    return new Promise((resolve) => {
      this.#answerBank = (approved) => {
        step({ type: 'bank answered' })
        resolve(approved)
      }
    })
  }

  answerBank(approved: boolean): void {
    this.#answerBank(approved)
    this.#answerBank = () => undefined
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    // Not the drawn state: two clicks can come before the next drawing.
    if (this.#isBusy) return
    this.#isBusy = true
    await work().finally(() => (this.#isBusy = false))
  }

  async #finish(attempt: Attempt): Promise<void> {
    const { step } = this.#parts
    const settling = {
      hint: attempt.hint,
      confirm: () => this.#confirm(),
      pause: (ms: number) => this.#pause(ms),
      onProcessing: () => this.#tellProcessing(),
    }
    let settled = await settle(settling)
    if (settled.kind === 'session ended' && (await this.#isStillLive()))
      settled = await settle(settling)
    switch (settled.kind) {
      case 'told':
        step({
          type: 'told',
          answer: reasoned(settled.answer, attempt),
          words: attempt.words,
          isDecline: attempt.hint !== 'cut',
        })
        if (settled.answer.status === 'booked') await this.#tellBooked()
        return
      case 'session ended':
        this.#isUnsettled = true
        step({ type: 'session ended' })
        step({ type: 'no end' })
        return
      case 'no end':
        step({ type: 'no end' })
    }
  }

  #confirm(): Promise<ConfirmAnswer> {
    const body = { paymentIntentId: this.#paymentIntentId }
    return this.#parts.api.call<ConfirmAnswer>('POST', '/api/widget/topup/confirm', { body })
  }

  /** Shorter when the wallet changes meanwhile: that may be what is waited for. */
  #pause(ms: number): Promise<void> {
    const { answered, answer } = timedAnswer({ limitMs: ms, late: undefined })
    this.#wake = () => answer(undefined)
    return answered
  }

  /**
   * Usually the change itself is heard of and posted. Back from a bank's page the wallet was first
   * seen with the money in it, and whoever opened this page has heard of nothing.
   */
  async #tellBooked(): Promise<void> {
    await this.#isStillLive()
    if (!this.#hasPosted) this.#post()
  }

  /** Pending is an entry of its own in the wallet behind this page. */
  #tellProcessing(): void {
    const { step, host } = this.#parts
    step({ type: 'still processing' })
    if (this.#isPendingTold) return
    this.#isPendingTold = true
    host.tellChanged()
    this.#tellHosts()
  }

  #post(): void {
    this.#hasPosted = true
    this.#tellHosts()
  }

  #tellHosts(): void {
    postToParent({ type: 'SERVICE_WALLET_UPDATED' }, this.#parts.data)
    postToOpener({ type: 'SERVICE_WALLET_UPDATED' }, this.#parts.data)
  }

  /** Looks at the wallet; on the way an ended session is replaced, where a loader can do so. */
  async #isStillLive(): Promise<boolean> {
    if (this.#hasEnded) return false
    const { answered, answer } = timedAnswer<boolean>({ limitMs: sessionLookMs, late: false })
    this.#onLook = answer
    this.#live.load()
    return answered
  }

  #onLiveState(state: LiveState): void {
    const { step, onWallet } = this.#parts
    switch (state.kind) {
      case 'shown':
        onWallet(state.wallet)
        if (this.#hasEnded) this.#onRenewed()
        if (!state.wallet.isActive) step({ type: 'unavailable', why: 'inactive' })
        return
      case 'expired':
        this.#hasEnded = true
        step({ type: 'session ended' })
        this.#onLook(false)
        this.#wake()
        return
      case 'failed':
        this.#onLook(false)
        return
      case 'loading':
    }
  }

  #onRenewed(): void {
    this.#hasEnded = false
    this.#parts.step({ type: 'session renewed' })
    if (!this.#isUnsettled) return
    this.#isUnsettled = false
    this.lookAgain()
  }

  #refuse(failure: ApiFailure): void {
    const { step, refusalOf } = this.#parts
    if (failure.isExpiry) step({ type: 'session ended' })
    else if (failure.code === 'TOPUP_UNAVAILABLE') step({ type: 'unavailable', why: 'off' })
    else if (failure.code === 'WALLET_INACTIVE') step({ type: 'unavailable', why: 'inactive' })
    else step({ type: 'refused', reason: refusalOf(failure) })
  }
}

/**
 * The service may know a reason, but of an earlier try: this one never reached the bank. And its
 * reason is English: in other languages the words of the attempt itself are better.
 */
function reasoned(answer: ConfirmAnswer, { hint }: Attempt): ConfirmAnswer {
  const { failure: _reason, ...rest } = answer
  return hint === 'cut' || currentSpeech().language !== 'en' ? rest : answer
}
