/**
 * What just happened, said once: a line at the foot of the page that a screen reader reads politely
 * and that leaves by itself. Never the only place of something that must not be missed.
 * States: silent → shown (for `shownMs`, or until closed) → silent.
 */
import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icon.js'
import './announcer.css'

const shownMs = 8_000

let listener: (text: string) => void = () => undefined

export function announce(text: string): void {
  listener(text)
}

export function Announcer() {
  const [text, setText] = useState('')
  useEffect(() => {
    listener = setText
    return () => {
      listener = () => undefined
    }
  }, [])
  useEffect(() => {
    if (text === '') return undefined
    const timer = setTimeout(() => setText(''), shownMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div class="announcer">
      <p role="status" aria-live="polite">
        {text !== '' && (
          <span class="announcer-text">
            <Icon name="check" />
            {text}
          </span>
        )}
      </p>
      {text !== '' && (
        <button class="button button-bare" type="button" onClick={() => setText('')}>
          <Icon name="close" />
          <span class="unseen">Close the message</span>
        </button>
      )}
    </div>
  )
}
