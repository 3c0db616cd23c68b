/**
 * How pages load and act. `useLoaded`: loading → ready or failed, and again on `reload` (what was
 * shown stays meanwhile). `useAct`: idle → busy → idle, with the failure of the last try; a second
 * call while busy does nothing, so a double click is one act.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ApiFailure } from './api.js'

export interface Loaded<Value> {
  readonly value: Value | undefined
  readonly failure: ApiFailure | undefined
  readonly reload: () => void
  /** Replaces what is shown by what an act answered with. */
  readonly replace: (value: Value) => void
}

export function useLoaded<Value>(
  load: () => Promise<Value>,
  of: readonly unknown[],
): Loaded<Value> {
  const [value, setValue] = useState<Value>()
  const [failure, setFailure] = useState<ApiFailure>()
  const latest = useRef(0)
  const reload = useCallback(() => {
    const mine = (latest.current += 1)
    setFailure(undefined)
    load().then(
      (loaded) => mine === latest.current && setValue(() => loaded),
      (error: unknown) => mine === latest.current && setFailure(asFailure(error)),
    )
  }, of)
  useEffect(() => {
    setValue(undefined)
    reload()
    return () => {
      latest.current += 1
    }
  }, [reload])
  const replace = useCallback((next: Value) => {
    latest.current += 1
    setValue(() => next)
  }, [])
  return { value, failure, reload, replace }
}

export interface Act {
  readonly isBusy: boolean
  readonly failure: ApiFailure | undefined
  readonly run: (work: () => Promise<void>) => void
  readonly forget: () => void
}

export function useAct(): Act {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  // Not the state: two clicks can come before the next drawing.
  const busy = useRef(false)
  const run = useCallback((work: () => Promise<void>) => {
    if (busy.current) return
    busy.current = true
    setBusy(true)
    setFailure(undefined)
    void work()
      .catch((error: unknown) => setFailure(asFailure(error)))
      .finally(() => {
        busy.current = false
        setBusy(false)
      })
  }, [])
  const forget = useCallback(() => setFailure(undefined), [])
  return { isBusy, failure, run, forget }
}

function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error
  // A mistake of this page: told to whoever looks at the console, and to the person in words.
  console.error(error)
  const text = 'This page made a mistake. Reload it and look whether it was done.'
  return new ApiFailure({ status: 0, code: 'PAGE', text })
}
