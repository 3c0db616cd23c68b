// Where a witness may live: a file, or one document at a URL, with everything that can go wrong.
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { witnessBytesMax } from '../../src/audit/limits.js'
import { fileWitness, urlWitness } from '../../src/audit/proofs/witness-places.js'
import { systemRandom } from '../../src/platform/random.js'
import { SignedLedger } from '../support/checkpoints.js'

type Answering = (request: IncomingMessage, response: ServerResponse) => void

async function listen(t: Test, answer: Answering): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/of-wallets`
}

/** The whole protocol, as docs/reference/audit.md gives it. */
class WitnessServer {
  text: string | undefined
  #version = 0
  readonly requests: string[] = []

  readonly answer: Answering = (request, response) => {
    const { authorization = 'nobody' } = request.headers
    this.requests.push(`${request.method} by ${authorization}`)
    void this.#answer(request, response)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const etag = `"${this.#version}"`
    if (request.method === 'GET') {
      if (this.text === undefined) response.writeHead(404).end()
      else response.writeHead(200, { etag }).end(this.text)
      return
    }
    const { 'if-match': wanted, 'if-none-match': none } = request.headers
    const isAllowed = this.text === undefined ? none === '*' : wanted === etag
    let text = ''
    for await (const piece of request) text += String(piece)
    if (isAllowed) {
      this.text = text
      this.#version += 1
    }
    response.writeHead(isAllowed ? 204 : 412).end()
  }
}

t.test('a file is exchanged whole, for its owner alone, and only over what was read', async (t) => {
  const folder = join(t.testdir({}), 'made', 'on-the-way')
  const file = join(folder, 'witness')
  const witness = fileWitness(file, systemRandom)
  t.equal(await witness.read(), undefined)
  await witness.write('first\n', undefined)
  const held = await witness.read()
  t.match(held, { text: 'first\n' })
  await witness.write('second\n', held)
  t.equal(await readFile(file, 'utf8'), 'second\n')
  t.equal((await stat(file)).mode & 0o777, 0o600)
  await t.rejects(witness.write('third\n', held), {
    name: 'WitnessError',
    message: `${file} was changed by somebody else meanwhile`,
  })
  t.same(await readdir(folder), ['witness'], 'nothing is left behind')
})

t.test('a file that cannot be read or written is named with the reason', async (t) => {
  const folder = t.testdir({ file: '' })
  const below = fileWitness(join(folder, 'file', 'witness'), systemRandom)
  await t.rejects(below.read(), { name: 'WitnessError', message: /cannot be reached: ENOTDIR$/ })
  const isFolder = fileWitness(folder, systemRandom)
  await t.rejects(isFolder.read(), { name: 'WitnessError', message: /cannot be reached: EISDIR$/ })
  // As a folder that is mounted read-only: reading finds nothing, writing fails.
  const gone = fileWitness(join(folder, 'x'.repeat(250)), systemRandom)
  t.equal(await gone.read(), undefined)
  await t.rejects(gone.write('{}', undefined), {
    name: 'WitnessError',
    message: /cannot be written: ENAMETOOLONG\. .*SIGNING_KEY_FILE and CHECKPOINT_WITNESS$/,
  })
})

t.test('a URL is read, written first and written again, each under its condition', async (t) => {
  const server = new WitnessServer()
  const address = await listen(t, server.answer)
  const witness = urlWitness(address.replace('//', '//ada:p%40ss@') + '?token=s3cret')
  t.equal(witness.name, address, 'without password and query')
  t.equal(await witness.read(), undefined)
  await witness.write('first\n', undefined)
  const held = await witness.read()
  t.match(held, { text: 'first\n', version: '"1"' })
  await witness.write('second\n', held)
  t.equal(server.text, 'second\n')
  const meanwhile = {
    name: 'WitnessError',
    message: `${address} was changed by somebody else meanwhile`,
  }
  await t.rejects(witness.write('third\n', held), meanwhile)
  await t.rejects(witness.write('third\n', undefined), meanwhile)
  t.equal(server.text, 'second\n')
  const login = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`
  t.ok(server.requests.every((request) => request.endsWith(login)))
})

const faults: Record<string, { answer: Answering; message: RegExp }> = {
  'an answer of another kind': {
    answer: (_request, response) => response.writeHead(500).end(),
    message: /answers 500 to GET$/,
  },
  'no ETag': {
    answer: (_request, response) => response.writeHead(200).end('{}'),
    message: /answers without an ETag$/,
  },
  'too much': {
    answer: (_request, response) => response.end('x'.repeat(witnessBytesMax + 1)),
    message: new RegExp(`cannot be reached: it answers more than ${witnessBytesMax} bytes$`),
  },
  'a redirect': {
    answer: (_request, response) => response.writeHead(302, { location: '/' }).end(),
    message: /cannot be reached: /,
  },
  'a connection that breaks': {
    answer: (request) => request.socket.destroy(),
    message: /cannot be reached: UND_ERR_SOCKET$/,
  },
  'no answer': {
    answer: () => undefined,
    message: /cannot be reached: no answer within 5000 ms$/,
  },
}

for (const [what, { answer, message }] of Object.entries(faults))
  t.test(`a URL that gives ${what} is a fault of the witness, and bounded`, async (t) => {
    const witness = urlWitness(await listen(t, answer))
    await t.rejects(witness.read(), { name: 'WitnessError', message })
  })

t.test('a URL as a second witness notices that everything beside it was taken away', async (t) => {
  const server = new WitnessServer()
  const signed = await SignedLedger.open(t)
  signed.witnessPlaces.push(await listen(t, server.answer))
  await signed.sign()
  await signed.move('pi_2')
  await signed.sign()
  t.equal(server.text, await readFile(signed.witnessFile, 'utf8'))
  t.equal(await signed.divergence(), undefined)
  await writeFile(signed.witnessFile, (server.text ?? '').replace('"number":2', '"number":1'))
  await signed.tamper(
    'delete from audit.checkpoint_leaves',
    'delete from audit.checkpoints',
    'delete from audit.signing_keys',
  )
  t.match(await signed.divergence(), {
    place: 'checkpoints 1 to 2',
    problem: /witnessed in http:\/\/127\.0\.0\.1:\d+\/of-wallets/,
  })
})
