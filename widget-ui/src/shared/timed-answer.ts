/** A promise that somebody else answers, or the time does: with `late`, when nobody has by then. */

export interface TimedAnswer<Value> {
  readonly answered: Promise<Value>
  /** After the first time it changes nothing. */
  readonly answer: (value: Value) => void
}

export function timedAnswer<Value>(of: { limitMs: number; late: Value }): TimedAnswer<Value> {
  let answer: (value: Value) => void = () => undefined
  const answered = new Promise<Value>((resolve) => {
    const timer = setTimeout(() => resolve(of.late), of.limitMs)
    answer = (value) => {
      clearTimeout(timer)
      resolve(value)
    }
  })
  return { answered, answer }
}
