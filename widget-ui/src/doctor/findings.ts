/**
 * What the doctor says: one line about each thing it looked at, and how to mend what is wrong.
 * Values only, so that tests need no browser. Promises: every bad finding names its fix. Never:
 * repeats a token, a secret or an id of a person.
 */
import type { DoctorFacts } from '../../../src/http/schemas/answers/widget.js'

export interface Finding {
  /**
   * `missing`: it could not be examined, so nobody may say that all is well. `unsure`: the browser
   * does not tell, or it may be meant so.
   */
  readonly state: 'good' | 'bad' | 'missing' | 'unsure'
  readonly title: string
  readonly fix?: string
}

export interface Examined {
  readonly clientId: string
  /** Of the page that embeds the widget; empty when nobody knows it. */
  readonly origin: string
  /** Where the doctor stands; `silent frame`: the page around it sends no Referer. */
  readonly place: 'tab' | 'frame' | 'silent frame'
  /** What is wrong with the session was said of the tag already. */
  readonly isSessionTold?: boolean
}

/** Client app, origin and session, from what the service knows. */
export function factFindings(facts: DoctorFacts, of: Examined): Finding[] {
  const session = of.isSessionTold === true ? [] : sessionFinding(facts)
  return [appFinding(facts, of), originFinding(facts, of), session].flat()
}

/** What the service says of the origin as it would be written rightly. */
export function spelledOriginFindings(facts: DoctorFacts, of: Examined): Finding[] {
  return facts.originInstead === undefined ? originFinding(facts, of) : []
}

function appFinding({ app, foundBy }: DoctorFacts, { clientId, place }: Examined): Finding {
  if (clientId === '' && (foundBy === undefined || app === 'active'))
    return foundFinding(foundBy, place)
  switch (app) {
    case 'active':
      return { state: 'good', title: 'The client app is registered and active.' }
    case 'inactive':
      return {
        state: 'bad',
        title: 'The client app is not active.',
        fix: 'Ask whoever runs the service to activate it in the admin area.',
      }
    case 'unknown':
      return {
        state: 'bad',
        title: 'No client app has this clientId.',
        fix: 'Copy it from the admin area: it must match to the letter.',
      }
  }
}

/** Without a clientId: what the pages of the widget do then. */
function foundFinding(foundBy: DoctorFacts['foundBy'], place: Examined['place']): Finding {
  const add = place === 'tab' ? 'Fill in the clientId above' : 'Add clientId=… to the address'
  const fix = `${add}; the admin area shows it under “Client apps”.`
  if (foundBy === 'session')
    return { state: 'good', title: 'No clientId was given: the session says whose wallet it is.' }
  if (foundBy === undefined)
    return { state: 'bad', title: 'No clientId was given, so nobody can sign up or log in.', fix }
  switch (place) {
    case 'frame':
      return { state: 'good', title: 'No clientId was given: the app is found by your origin.' }
    case 'tab':
      return {
        state: 'unsure',
        title: 'No clientId was given: the app is found by your origin if your page sends it.',
        fix: 'Frame this doctor in your page to see whether it does, or add clientId=… to the src.',
      }
    case 'silent frame':
      return {
        state: 'bad',
        title: 'No clientId was given, and the Referrer-Policy of your page hides your origin.',
        fix,
      }
  }
}

function originFinding(facts: DoctorFacts, { origin, place }: Examined): Finding[] {
  if (origin === '') return [unknownOrigin(place)]
  if (facts.originInstead !== undefined)
    return [
      {
        state: 'bad',
        title: `${origin} is unlisted: no browser writes an origin like this, so no list has it.`,
        fix: `Write it as ${facts.originInstead}: no path, no slash at the end.`,
      },
    ]
  if (facts.originProblem !== null)
    return [
      {
        state: 'bad',
        title: `${origin} cannot embed the wallet. ${facts.originProblem}`,
        fix: 'Serve your page from an exact https origin and register that one.',
      },
    ]
  if (facts.app === 'unknown') return []
  const parent: Finding = facts.originAllowed
    ? { state: 'good', title: `${origin} may embed the wallet.` }
    : {
        state: 'bad',
        title: `${origin} may not embed the wallet: the browser shows an empty frame there.`,
        fix: `Add ${origin} to “Allowed iframe parents” of the client app, exactly like this.`,
      }
  const opener: Finding = facts.openerAllowed
    ? { state: 'good', title: `${origin} is told when a top-up in its own window is done.` }
    : {
        state: 'unsure',
        title: `${origin} is not told when a top-up in its own window is done.`,
        fix: `If you open the top-up in a window, add ${origin} to “Allowed origins”.`,
      }
  return [parent, opener]
}

function unknownOrigin(place: Examined['place']): Finding {
  if (place === 'tab')
    return {
      state: 'missing',
      title: 'Whether your page may embed the wallet: its origin was not given.',
      fix: 'Type the origin of your page above.',
    }
  return {
    state: 'missing',
    title: 'It is not known which page embeds this frame.',
    fix: 'Open this doctor in a tab of its own and type the origin of the page there.',
  }
}

function sessionFinding({ session, sessionMatchesApp }: DoctorFacts): Finding[] {
  if (session === 'live' && sessionMatchesApp === false)
    return [
      {
        state: 'bad',
        title: 'The session is valid, but was made by another client app.',
        fix: 'Make sessions with the credentials of the client app whose clientId you use.',
      },
    ]
  switch (session) {
    case 'live':
      return [{ state: 'good', title: 'The session is valid.' }]
    case 'ended':
      return [
        {
          state: 'bad',
          title: 'The session has ended. A session lives for five minutes.',
          fix: 'Make a new one with POST /api/widget/session for each page view.',
        },
      ]
    case 'unknown':
      return [
        {
          state: 'bad',
          title: 'The service does not know this session.',
          fix: 'Pass the sessionToken of POST /api/widget/session as it is: ws_ and a UUID.',
        },
      ]
    case 'none':
      return [{ state: 'unsure', title: 'No session: the widget asks people to log in first.' }]
  }
}

/** What a frame can see of itself. */
export interface FrameView {
  /** False in a sandbox without allow-same-origin. */
  readonly hasOrigin: boolean
  readonly canSubmitForms: boolean
  /** Undefined where the browser does not tell. */
  readonly mayPay: boolean | undefined
  readonly isSecure: boolean
  readonly widthPx: number
}

const widthMinPx = 320

export function frameFindings(view: FrameView): Finding[] {
  const found: Finding[] = [
    view.hasOrigin
      ? { state: 'good', title: 'Scripts run, and the frame has its own origin.' }
      : {
          state: 'bad',
          title: 'The sandbox takes the frame its origin.',
          fix: 'Add allow-same-origin to the sandbox attribute of the iframe.',
        },
    view.canSubmitForms
      ? { state: 'good', title: 'Forms can be sent.' }
      : {
          state: 'bad',
          title: 'The sandbox blocks forms: people cannot log in or pay.',
          fix: 'Add allow-forms to the sandbox attribute of the iframe.',
        },
    paymentFinding(view.mayPay),
  ]
  if (!view.isSecure)
    found.push({
      state: 'bad',
      title: 'The frame is not in a secure context.',
      fix: 'Serve your page and the wallet over https.',
    })
  if (view.widthPx < widthMinPx)
    found.push({
      state: 'bad',
      title: `The frame is ${view.widthPx} px wide; the wallet needs ${widthMinPx} px.`,
      fix: 'Give the iframe width="100%" in an element that is wide enough.',
    })
  return found
}

function paymentFinding(mayPay: boolean | undefined): Finding {
  if (mayPay === undefined)
    return {
      state: 'unsure',
      title: 'This browser does not tell whether payments are allowed in the frame.',
      fix: 'Check that the iframe has allow="payment *".',
    }
  if (mayPay) return { state: 'good', title: 'Payments are allowed in the frame.' }
  return {
    state: 'bad',
    title: 'Payments are not allowed in the frame.',
    fix: 'Add allow="payment *" to the iframe.',
  }
}
