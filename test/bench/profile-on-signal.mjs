/**
 * Loaded before the service: a CPU profile from one SIGUSR2 to the next, into PROFILE_FILE. Plain
 * JavaScript, as Node loads it before anything that could transpile.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

/** @type {Session | undefined} */
let session

process.on('SIGUSR2', () => {
  if (session === undefined) {
    session = new Session()
    session.connect()
    session.post('Profiler.enable')
    session.post('Profiler.start')
    return
  }
  const ending = session
  session = undefined
  ending.post('Profiler.stop', (error, result) => {
    if (error === null)
      writeFileSync(process.env['PROFILE_FILE'] ?? 'profile', JSON.stringify(result.profile))
    ending.disconnect()
  })
})
