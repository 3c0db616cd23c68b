/** Read out and not shown: what a search found, what was loaded below. */
export function SpokenOnly({ text }: { text: string }) {
  return (
    <p class="unseen" role="status" aria-live="polite">
      {text}
    </p>
  )
}
