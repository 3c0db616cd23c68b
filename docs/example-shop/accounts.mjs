/**
 * The shop's own people: register, log in, and the session cookie. They have nothing to do with the
 * accounts of the wallet service; `serviceUserId` on a user is the only bridge (linking.mjs).
 * Promises: passwords are kept as scrypt hashes, session tokens as SHA-256 in memory (a restart of
 * the shop logs everyone out), and a login tells nothing about who exists.
 */
import { createHash, randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ShopError } from './shop-error.mjs'

const hashOf = promisify(scrypt)
const sessionMs = 12 * 3_600_000
const sessionsMax = 10_000
const usersMax = 10_000
const passwordCharacters = { min: 8, max: 200 }
const cookieName = 'shop_session'

export function createAccounts({ store, isSecure }) {
  const sessions = new Map()

  async function register({ email, password }) {
    checkAccount(email, password)
    const passwordHash = await hashPassword(password)
    // After the hash, without an await until it is in the list: two at once cannot both pass.
    if (findByEmail(email) !== undefined)
      throw new ShopError(409, 'EMAIL_TAKEN', 'This email has an account here. Log in instead.')
    if (store.users.length >= usersMax)
      throw new ShopError(503, 'SHOP_FULL', 'This example shop takes no more accounts.')
    // No serviceUserId: the field appears with a link and is removed with it, never set to null.
    const user = { id: randomUUID(), email, passwordHash, createdAt: new Date().toISOString() }
    store.users.push(user)
    await store.save()
    return startSession(user)
  }

  async function logIn({ email, password }) {
    const user = typeof email === 'string' ? findByEmail(email) : undefined
    const isRight = await isPassword(String(password), user?.passwordHash ?? nobodysHash)
    if (user === undefined || !isRight)
      throw new ShopError(401, 'INVALID_LOGIN', 'Email and password do not belong together.')
    return startSession(user)
  }

  function startSession(user) {
    const nowMs = Date.now()
    for (const [key, { endsMs }] of sessions) if (endsMs <= nowMs) sessions.delete(key)
    // A Map keeps its order: the first one is the oldest.
    if (sessions.size >= sessionsMax) sessions.delete(sessions.keys().next().value)
    const token = randomBytes(32).toString('base64url')
    sessions.set(digestOf(token), { userId: user.id, endsMs: nowMs + sessionMs })
    return { user, cookie: cookieOf(token, sessionMs / 1_000) }
  }

  function currentUser(request) {
    const session = sessions.get(digestOf(tokenIn(request)))
    if (session === undefined || session.endsMs <= Date.now()) return undefined
    return store.users.find(({ id }) => id === session.userId)
  }

  function logOut(request) {
    sessions.delete(digestOf(tokenIn(request)))
    return cookieOf('', 0)
  }

  function findByEmail(email) {
    return store.users.find((user) => user.email.toLowerCase() === email.toLowerCase())
  }

  function cookieOf(token, seconds) {
    const flags = `HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`
    return `${cookieName}=${token}; ${flags}`
  }

  return { register, logIn, logOut, currentUser }
}

function checkAccount(email, password) {
  if (typeof email !== 'string' || email.length > 254 || !/^[^@\s]+@[^@\s]+$/.test(email))
    throw new ShopError(400, 'INVALID_EMAIL', 'Give an email address, such as ada@example.com.')
  const { min, max } = passwordCharacters
  if (typeof password !== 'string' || password.length < min || password.length > max)
    throw new ShopError(400, 'INVALID_PASSWORD', `Give a password of ${min} to ${max} characters.`)
}

async function hashPassword(password) {
  const salt = randomBytes(16)
  return `${salt.toString('base64')}:${(await hashOf(password, salt, 32)).toString('base64')}`
}

/** Compared with when nobody has the email, so that the answer takes as long. */
const nobodysHash = await hashPassword(randomUUID())

async function isPassword(password, stored) {
  const [salt, hash] = stored.split(':').map((part) => Buffer.from(part, 'base64'))
  const given = await hashOf(password.slice(0, passwordCharacters.max + 1), salt, 32)
  return timingSafeEqual(given, hash)
}

function tokenIn(request) {
  const cookies = (request.headers.cookie ?? '').split('; ')
  const own = cookies.find((cookie) => cookie.startsWith(`${cookieName}=`))
  return own?.slice(cookieName.length + 1) ?? ''
}

function digestOf(token) {
  return createHash('sha256').update(token).digest('hex')
}
