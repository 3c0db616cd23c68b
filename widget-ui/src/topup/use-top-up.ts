/**
 * The top-up of this page as a hook: the flow's state, what was typed, and the acts. Promises: one
 * run a page; what was typed lives as long as the page does.
 */
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import type { Formats } from '../shared/formats.js'
import type { WidgetWallet as Wallet } from '../../../src/http/schemas/answers/widget.js'
import type { SavedCards } from '../../../src/http/schemas/answers/cards.js'
import type { WidgetApi } from '../widget/api.js'
import type { HostPort } from '../widget/host-port.js'
import { pageAddress } from '../widget/opening.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { startingChoice } from './amounts.js'
import type { CardText } from './card-text.js'
import { checkWithSandbox, payWithSandbox } from './pay-sandbox.js'
import { payWithSaved } from './pay-saved.js'
import { checkWithStripe } from './pay-stripe.js'
import { refusalWords } from './refusal.js'
import { useSaving } from './save-choice.js'
import type { Attempt } from './settling.js'
import { next, startingTopUp, type Intent, type Step, type TopUp } from './top-up-flow.js'
import { TopUpRun } from './top-up-run.js'

export interface TopUpParts {
  readonly api: WidgetApi
  readonly data: PageData
  readonly host: HostPort
  readonly formats: Formats
  /** What the host asked for, as it stands in the address. */
  readonly asked: string | undefined
  /** The payment with which a bank's own page led back here. */
  readonly returning: string | undefined
  /** The host page asks for a top-up while this page is open already. */
  readonly whenAsked: (listener: (amount: number | undefined) => void) => void
}

export function useTopUp(parts: TopUpParts) {
  const { data, formats } = parts
  const [topUp, step] = useReducer<TopUp, Step, undefined>(next, undefined, () =>
    startingTopUp({
      isOff: data.payments.kind === 'off',
      isEnded: data.session !== 'live',
      isReturning: parts.returning !== undefined,
    }),
  )
  const [wallet, setWallet] = useState<Wallet>()
  const run = useRun(parts, { step, onWallet: setWallet })
  const [start] = useState(() =>
    startingChoice({
      asked: parts.asked ?? null,
      limits: data.payments,
      read: formats.readAmount,
      decimals: formats.currency.decimals,
    }),
  )
  const [choice, setChoice] = useState(start.choice)
  const { clear: clearCard, ...cardForm } = useCardForm()
  const [isLoggingIn, setLoggingIn] = useState(false)
  const cards = useSavedCards(parts)
  const acts = useCardActs(parts, { run, card: cardForm.card, prepareSaving: cards.prepareSaving })
  useAsked(parts, topUp)
  const { intent, hasEnded } = topUp
  /** What needs a session waits for the login; what was typed waits with it. */
  const withSession = (work: () => void) => (hasEnded ? setLoggingIn(true) : work())
  return {
    ...topUp,
    wallet,
    isLoggingIn: isLoggingIn && hasEnded,
    setLoggingIn,
    goOn: (sessionToken: string) => run.goOn(sessionToken),
    choice,
    setChoice,
    adjustment: choice === start.choice ? start.adjustment : undefined,
    ...cardForm,
    ...cards,
    isPreparing: acts.isPreparing,
    tryAnotherCard: () => {
      clearCard()
      step({ type: 'try again' })
    },
    choose: (amount: number) =>
      withSession(() => {
        step({ type: 'choose', amount })
        if (intent?.amount !== amount) run.prepare(amount)
      }),
    changeAmount: () => step({ type: 'change amount' }),
    tryAgain: () => step({ type: 'try again' }),
    pay: (paid: Intent, attempt: () => Promise<Attempt>) =>
      withSession(() => run.pay(paid, attempt)),
    paySandbox: (paid: Intent) => withSession(() => acts.paySandbox(paid)),
    paySaved: (paid: Intent, cardId: string) => withSession(() => acts.paySaved(paid, cardId)),
    answerBank: (approved: boolean) => run.answerBank(approved),
    lookAgain: () => run.lookAgain(),
  }
}

export type TopUpOnPage = ReturnType<typeof useTopUp>

interface CardActsOf {
  readonly run: TopUpRun
  readonly card: CardText
  readonly prepareSaving: (intent: Intent) => Promise<boolean>
}

/** The two ways to pay that are this page's own; Stripe's form pays by itself. */
function useCardActs({ api, data }: TopUpParts, { run, card, prepareSaving }: CardActsOf) {
  const [isPreparing, setPreparing] = useState(false)
  const askBank = () => run.askBank()
  return {
    isPreparing,
    paySandbox: (intent: Intent) => {
      setPreparing(true)
      void prepareSaving(intent)
        .then((isReady) => {
          if (isReady) run.pay(intent, () => payWithSandbox({ intent, card, askBank }))
        })
        .finally(() => setPreparing(false))
    },
    paySaved: (intent: Intent, cardId: string) => {
      const onCheck = () =>
        data.payments.kind === 'stripe'
          ? checkWithStripe({ ...intent, publishableKey: intent.publishableKey ?? '' })
          : checkWithSandbox({ intent, askBank })
      run.pay(intent, () => payWithSaved({ api, intent, cardId, onCheck }))
    },
  }
}

/** None in a session that an app's backend made. */
function useSavedCards({ api, data }: TopUpParts) {
  const [saved, setSaved] = useState<SavedCards>()
  const [usesOther, setUsesOther] = useState(false)
  const saving = useSaving(api)
  useEffect(() => {
    if (data.session !== 'live' || !data.isPersons || data.payments.kind === 'off') return
    api.call<SavedCards>('GET', '/api/widget/account/cards').then(setSaved, () => undefined)
  }, [])
  const savedCards = saved?.cards ?? []
  const canSave = saved !== undefined && savedCards.length < saved.cardsMax
  return {
    savedCards,
    showsSaved: savedCards.length > 0 && !usesOther,
    useOther: () => setUsesOther(true),
    saving: canSave ? saving : undefined,
    prepareSaving: async (intent: Intent) => !canSave || saving.prepare(intent),
  }
}

const emptyCard: CardText = { number: '', expiry: '', code: '' }

/** `cardForms`: each is another form, empty and without the faults of the last one. */
function useCardForm() {
  const [card, setCard] = useState(emptyCard)
  const [cardForms, setCardForms] = useState(1)
  const clear = () => {
    setCard(emptyCard)
    setCardForms(cardForms + 1)
  }
  return { card, setCard, cardForms, clear }
}

function useRun(
  { api, data, host, formats, returning }: TopUpParts,
  { step, onWallet }: { step: (step: Step) => void; onWallet: (wallet: Wallet) => void },
): TopUpRun {
  const [run] = useState(
    () =>
      new TopUpRun({
        api,
        data,
        host,
        step,
        onWallet,
        refusalOf: (failure) => refusalWords(failure, formats.money),
      }),
  )
  useEffect(() => {
    if (data.session === 'live') run.start({ returning })
    return () => run.stop()
  }, [run])
  return run
}

/** A new wish begins anew, but never while something is under way. */
function useAsked({ api, data, whenAsked }: TopUpParts, { stage }: TopUp): void {
  const isIdle = !['preparing', 'paying', 'checking', 'processing'].includes(stage.name)
  useEffect(() => {
    whenAsked((amount) => {
      const { session } = api
      const { clientId } = data
      if (isIdle) location.assign(pageAddress({ page: 'topup', clientId, session, amount }))
    })
  }, [isIdle])
}

/** True until the value changes for the first time. */
export function useIsFirst(value: string): boolean {
  const first = useRef(value)
  const hasChanged = useRef(false)
  if (value !== first.current) hasChanged.current = true
  return !hasChanged.current
}
