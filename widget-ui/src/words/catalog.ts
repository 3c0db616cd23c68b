/**
 * What a catalog is: English says which keys there are and which values each text takes; every
 * other language has the same keys, or the types complain. Types only, so that no page loads a
 * language by importing this.
 */
import type { english } from './en/english.js'

/** By the categories of Intl.PluralRules; a language has those that it needs. */
export interface Plural {
  readonly one: string
  readonly few?: string
  readonly many?: string
  readonly other: string
}

type Text = string | Plural

/** An area of another language than English: the same keys, plurals where English has them. */
export type Like<Area extends Readonly<Record<string, Text>>> = {
  readonly [Key in keyof Area]: Area[Key] extends string ? string : Plural
}

export type Catalog = Like<typeof english>

export type Key = keyof Catalog

type NamesIn<Words extends string> = Words extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** What stands in {braces} in the English text; a plural always needs its count. */
export type NamesOf<Of extends Key> = (typeof english)[Of] extends string
  ? NamesIn<(typeof english)[Of]>
  : 'count' | NamesIn<Extract<(typeof english)[Of], Plural>['other']>
