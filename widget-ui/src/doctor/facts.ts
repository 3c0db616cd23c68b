/** Asks the service what it knows about a client app, an origin and a session. */
import { WidgetApi } from '../widget/api.js'
import type { DoctorFacts } from '../../../src/http/schemas/answers/widget.js'

export interface Question {
  readonly clientId: string
  readonly origin: string
  readonly session: string
}

export function askFacts(question: Question): Promise<DoctorFacts> {
  const given = Object.entries(question).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given as [string, string][])
  return new WidgetApi(undefined).call('GET', `/api/widget/doctor?${query.toString()}`)
}
