/** Hashes for tests with many logins: the price of a real one is passwords.test.ts's business. */
import { Passwords } from '../../src/identity/passwords.js'
import type { Cost } from '../../src/identity/passwords.js'
import { systemRandom } from '../../src/platform/random.js'

export const cheap: Cost = { logN: 10, r: 8, p: 1 }

export const cheapPasswords = new Passwords({ random: systemRandom, cost: cheap })
