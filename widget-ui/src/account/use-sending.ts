/**
 * A form that sends something: busy while it does, one send for a double click, what the service
 * refuses beside the field that it names, until that field is changed.
 * States: idle → sending → done, or idle with an error.
 */
import { useRef, useState } from 'preact/hooks'
import { withoutErrorOf, type FieldErrors as Errors } from '../shared/field-errors.js'
import { asFailure, type ApiFailure } from '../widget/api.js'

export interface SendingOptions {
  /** What is wrong before anything is sent; nothing when it is empty. */
  readonly faults?: () => Errors
  readonly send: () => Promise<void>
  /** A refusal that is shown elsewhere is taken by answering true. */
  readonly onRefused?: (failure: ApiFailure) => boolean
}

export function useSending({ faults, send, onRefused }: SendingOptions) {
  const element = useRef<HTMLFormElement>(null)
  const [state, setState] = useState<'idle' | 'sending' | 'done'>('idle')
  const [errors, setErrors] = useState<Errors>({})
  const [refusal, setRefusal] = useState<string>()
  // Not the state: two clicks can come before the next drawing.
  const isBusy = useRef(false)
  const show = (found: Errors): void => {
    setErrors(found)
    const first = Object.keys(found).find((name) => found[name] !== undefined)
    element.current?.querySelector<HTMLElement>(`[name="${first ?? '-'}"]`)?.focus()
  }
  const run = async (): Promise<void> => {
    try {
      await send()
      setState('done')
    } catch (error) {
      setState('idle')
      const failure = asFailure(error)
      if (onRefused?.(failure) === true) return
      const field = failure.code === 'WRONG_PASSWORD' ? 'password' : failure.field
      const isOnPage = element.current?.querySelector(`[name="${field ?? '-'}"]`) != null
      if (field !== undefined && isOnPage) show({ [field]: failure.message })
      else setRefusal(failure.message)
    } finally {
      isBusy.current = false
    }
  }
  const submit = (event?: Event): void => {
    event?.preventDefault()
    if (isBusy.current) return
    const found = faults?.() ?? {}
    setRefusal(undefined)
    show(found)
    if (Object.values(found).some((fault) => fault !== undefined)) return
    isBusy.current = true
    setState('sending')
    void run()
  }
  const reset = (): void => setState('idle')
  const onInput = (event: Event): void => setErrors((now) => withoutErrorOf(now, event))
  const attributes = {
    class: 'form',
    noValidate: true,
    ref: element,
    onSubmit: submit,
    onInput,
  }
  const isSending = state === 'sending'
  return { element, attributes, errors, refusal, submit, reset, isSending, state }
}

export type Sending = ReturnType<typeof useSending>
