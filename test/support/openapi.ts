/** The checked-in document as tests read it: its operations, and the fields that they speak of. */
export interface Media {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples: Readonly<Record<string, object>>
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

export interface Response {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content: Readonly<Record<string, Media>>
}

export interface Parameter {
  readonly in: 'path' | 'query'
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
  readonly example?: unknown
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}

export interface OpenApi {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
  }
}

export interface Place {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export function operationsOf({ paths }: OpenApi): Place[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

/** Of one group: the names of everything that is sent and answered, successes and errors. */
export function fieldsOf(document: OpenApi, tag: string): string[] {
  const names = new Set<string>()
  const walk = (schema: Schema | undefined): void => {
    if (schema === undefined) return
    const { $ref, properties = {}, items, anyOf = [], patternProperties = {} } = schema
    if ($ref !== undefined) walk(document.components.schemas[lastOf($ref)])
    for (const name of Object.keys(properties)) names.add(name)
    const inner = [...Object.values(properties), ...Object.values(patternProperties), ...anyOf]
    for (const each of [...inner, ...(items ? [items] : [])]) walk(each)
  }
  for (const { operation } of operationsOf(document)) {
    if (!operation.tags.includes(tag)) continue
    for (const { name } of operation.parameters ?? []) names.add(name)
    const bodies = Object.values(operation.responses).map((each) => resolved(document, each))
    for (const { content = {} } of [operation.requestBody ?? { content: {} }, ...bodies])
      for (const { schema } of Object.values(content)) walk(schema)
  }
  return [...names]
}

/** An answer that stands among the components. */
export function resolved({ components }: OpenApi, response: Response): Response {
  if (response.$ref === undefined) return response
  const found = components.responses[lastOf(response.$ref)]
  if (found === undefined) throw new Error(`${response.$ref} leads nowhere`)
  return found
}

export function lastOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}
