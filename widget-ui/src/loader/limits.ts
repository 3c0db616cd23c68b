/** The waits of the loader, each with its reason. */

/** From setting the address to the page's first word; a slow phone on a slow line needs seconds. */
export const frameAnswerMs = 8_000

/** After the frame's load event its scripts have run: silence then is an error page, or refusal. */
export const loadedAnswerMs = 3_000

/** A backend that hangs must not keep people waiting for ever. */
export const getSessionMs = 10_000

/** Pauses between tries of `getSession`; then the person is asked to log in. */
export const getSessionPausesMs: readonly number[] = [1_000, 3_000]

/** The service was asked why the frame is silent. */
export const diagnosisMs = 5_000

/** Pauses between tries to heal by itself: about half an hour in all, then one tap is needed. */
export const healPausesMs: readonly number[] = [
  5_000,
  10_000,
  20_000,
  30_000,
  ...Array<number>(28).fill(60_000),
]

/** Top-up windows of one widget that may ask for a new session; older ones are forgotten. */
export const windowsMax = 4

/** As the wallet's skeleton is on a wide page: the frame does not jump when it is drawn. */
export const firstHeightPx = 517
export const heightMaxPx = 4_000
