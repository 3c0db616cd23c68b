/**
 * The pages of a small shop on an origin of their own (http://localhost). Each page notes the
 * window messages that reach it, whoever sent them, in `window.received`; answers of the shop's own
 * backend are given by the test.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Teardown {
  teardown(work: () => unknown): void
}

export interface Received {
  readonly origin: string
  readonly data: Readonly<Record<string, unknown>>
}

export class ShopPages {
  readonly origin: string
  readonly #answers: Map<string, Answer>
  #count = 0

  private constructor(origin: string, answers: Map<string, Answer>) {
    this.origin = origin
    this.#answers = answers
  }

  static async open(t: Teardown): Promise<ShopPages> {
    const answers = new Map<string, Answer>()
    const server = createServer((request, response) => {
      void respond(answers.get(request.url ?? ''), response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    return new ShopPages(`http://localhost:${port}`, answers)
  }

  /** A page with this body; its address. */
  add(body: string, attributes = ''): string {
    this.#count += 1
    const path = `/page-${this.#count}`
    const content = `<!doctype html><html lang="en" ${attributes}><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Shop</title><style>body { margin: 0 }</style><script>
        window.received = []
        addEventListener('message', ({ origin, data }) => window.received.push({ origin, data }))
      </script><main>${body}</main></html>`
    this.#answers.set(path, { type: 'text/html', content: () => Promise.resolve(content) })
    return this.origin + path
  }

  /** The shop's own backend: a path that answers JSON. */
  answer(path: string, content: () => Promise<unknown>): void {
    const text = async (): Promise<string> => JSON.stringify(await content())
    this.#answers.set(path, { type: 'application/json', content: text })
  }
}

interface Answer {
  readonly type: string
  readonly content: () => Promise<string>
}

type Response = Parameters<NonNullable<Parameters<typeof createServer>[1]>>[1]

async function respond(answer: Answer | undefined, response: Response): Promise<void> {
  try {
    const content = await answer?.content()
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': answer?.type ?? '' })
    response.end(content)
  } catch {
    response.writeHead(500).end()
  }
}
