/**
 * A server-sent event stream as a browser reads it, block by block: a block is an event, a comment
 * or a setting.
 */
export interface Block {
  readonly event?: string
  readonly data?: unknown
  readonly isComment?: true
  readonly retry?: number
}

export class EventStream {
  readonly status: number
  readonly headers: Headers
  readonly #reader: ReadableStreamDefaultReader<string>
  readonly #leaving: AbortController
  #text = ''

  private constructor(answer: Response, leaving: AbortController) {
    this.status = answer.status
    this.headers = answer.headers
    this.#leaving = leaving
    const body = answer.body ?? new Response('').body
    if (body === null) throw new Error('the answer has no body')
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader()
  }

  static async open(
    t: { teardown(work: () => unknown): void },
    url: string,
    headers: Record<string, string> = {},
  ): Promise<EventStream> {
    const leaving = new AbortController()
    const stream = new EventStream(await fetch(url, { headers, signal: leaving.signal }), leaving)
    t.teardown(() => stream.leave())
    return stream
  }

  /** The next block, or undefined at the end. */
  async next(): Promise<Block | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end !== -1) {
        const block = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        return blockOf(block)
      }
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#text += value
    }
  }

  /** The next event, whatever comments and settings stand before it. */
  async event(): Promise<Block | undefined> {
    for (;;) {
      const block = await this.next()
      if (block === undefined || block.event !== undefined) return block
    }
  }

  leave(): void {
    this.#leaving.abort()
  }
}

function blockOf(text: string): Block {
  const fields = new Map(
    text.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const event = fields.get('event')
  const data = fields.get('data')
  const retry = fields.get('retry')
  return {
    ...(event !== undefined && { event }),
    ...(data !== undefined && { data: JSON.parse(data) as unknown }),
    ...(retry !== undefined && { retry: Number(retry) }),
    ...(fields.has('') && { isComment: true as const }),
  }
}
