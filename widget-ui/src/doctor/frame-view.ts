/**
 * What the doctor can see of the frame it stands in. Promises: looks only; nothing is sent, opened
 * or stored, except the window that `tryWindow` opens and closes when somebody asked for it.
 */
import type { FrameView } from './findings.js'

interface Policy {
  allowsFeature(name: string): boolean
}

type PolicyDocument = Document & { featurePolicy?: Policy; permissionsPolicy?: Policy }

export function frameView(): FrameView {
  const { permissionsPolicy, featurePolicy } = document as PolicyDocument
  return {
    hasOrigin: window.origin !== 'null',
    canSubmitForms: canSubmitForms(),
    mayPay: (permissionsPolicy ?? featurePolicy)?.allowsFeature('payment'),
    isSecure: window.isSecureContext,
    widthPx: window.innerWidth,
  }
}

/** The origin of the page around this frame; empty where the browser keeps it to itself. */
export function parentOrigin(): string {
  // Firefox has no ancestorOrigins; the Referer is there unless the page forbids it.
  const ancestors = (location as { ancestorOrigins?: DOMStringList }).ancestorOrigins
  const origin = ancestors?.[0]
  return origin ?? refererOrigin()
}

/** Whether the page of this origin says where it is when it asks for a frame. */
export function sendsReferer(origin: string): boolean {
  return origin !== '' && refererOrigin() === origin
}

function refererOrigin(): string {
  return URL.canParse(document.referrer) ? new URL(document.referrer).origin : ''
}

/** A sandbox without allow-forms keeps even the event from happening. */
function canSubmitForms(): boolean {
  const form = document.createElement('form')
  let isHeard = false
  form.hidden = true
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    isHeard = true
  })
  document.body.append(form)
  form.requestSubmit()
  form.remove()
  return isHeard
}

/** Must run within a click: a browser opens no window otherwise. */
export function tryWindow(): boolean {
  const opened = window.open('', '_blank', 'popup,width=240,height=160')
  opened?.close()
  return opened !== null
}
