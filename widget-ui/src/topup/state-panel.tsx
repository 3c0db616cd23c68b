/**
 * One state of the top-up as people meet it: picture, heading, sentences, what to do next. The
 * heading takes the focus when the state appears, so that a keyboard and a screen reader are where
 * the news is. The sentences are read out by the page's live region.
 */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Picture, type PictureName } from './picture.js'
import type { StateWords } from './state-words.js'

export function StatePanel(of: {
  picture: PictureName
  words: StateWords
  actions: ComponentChildren
  /** What the page opened with: it must not take the focus from the page around it. */
  isFirst: boolean
}) {
  return (
    <section class="state" aria-busy={of.picture === 'paying' ? 'true' : undefined}>
      <Picture name={of.picture} />
      <StateHeading isFirst={of.isFirst}>{of.words.title}</StateHeading>
      {of.words.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {of.actions}
    </section>
  )
}

export function StateHeading(of: { children: ComponentChildren; isFirst: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // With the drawing itself: a moment later it would take the focus from what is being typed.
  useLayoutEffect(() => {
    if (!of.isFirst) heading.current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {of.children}
    </h1>
  )
}
