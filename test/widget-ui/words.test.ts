// The words of people's pages: every language says everything, nothing is said that no catalog has.
import t from 'tap'
import ts from 'typescript'
import { loaderWords } from '../../widget-ui/src/loader/words.js'
import type { Plural } from '../../widget-ui/src/words/catalog.js'
import { german } from '../../widget-ui/src/words/de/german.js'
import { english } from '../../widget-ui/src/words/en/english.js'
import { spanish } from '../../widget-ui/src/words/es/spanish.js'
import { french } from '../../widget-ui/src/words/fr/french.js'
import { chooseSpeech, languages } from '../../widget-ui/src/words/languages.js'
import { polish } from '../../widget-ui/src/words/pl/polish.js'
import { portuguese } from '../../widget-ui/src/words/pt/portuguese.js'
import { say, sayAround, speak } from '../../widget-ui/src/words/say.js'
import { textOf } from '../support/repository.js'
import { filesIn, importsOf } from '../support/rooms.js'

const catalogs = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  pl: polish,
} as const

/** The entries of the pages that people see; admin, doctor and checker speak English. */
const entries = ['wallet', 'topup', 'reset'].map((page) => `widget-ui/src/${page}/main.tsx`)

/** Words that are the same in both languages. */
const sameAsEnglish: Readonly<Record<string, readonly string[]>> = {
  de: ['wallet.title', 'entry.app', 'entry.bonus', 'test.check'],
  fr: ['entry.bonus', 'test.check'],
  es: ['test.check'],
  pt: ['test.check'],
  pl: ['entry.bonus', 'test.check'],
}

function textsOf(text: string | Plural): string[] {
  return typeof text === 'string' ? [text] : Object.values<string>({ ...text })
}

function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort()
}

t.test('every language says everything, with the same values in it', async (t) => {
  t.same(Object.keys(catalogs).sort(), [...languages].sort())
  for (const [language, catalog] of Object.entries(catalogs)) {
    t.same(Object.keys(catalog).sort(), Object.keys(english).sort(), `the keys of ${language}`)
    for (const [key, text] of Object.entries<string | Plural>(catalog)) {
      const like = (english as Readonly<Record<string, string | Plural>>)[key] ?? ''
      const names = namesIn(typeof like === 'string' ? like : like.other)
      for (const words of textsOf(text)) {
        if (words.trim() === '' || words !== words.trim()) t.fail(`${language} ${key} is blank`)
        if (/[{}]/.test(words.replaceAll(/\{\w+\}/g, ''))) t.fail(`${language} ${key}: ${words}`)
        // "A minute" needs no number.
        const isOne = typeof text !== 'string' && words === text.one
        const found = namesIn(words).filter((name) => !isOne || name !== 'count')
        const wanted = names.filter((name) => !isOne || name !== 'count')
        if (found.join() !== wanted.join()) t.fail(`${language} ${key} takes ${found.join()}`)
      }
    }
  }
})

t.test('a plural has every form that its language needs', async (t) => {
  for (const [language, catalog] of Object.entries(catalogs)) {
    const rules = new Intl.PluralRules(language)
    const needed = new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)))
    for (const [key, text] of Object.entries<string | Plural>(catalog))
      if (typeof text !== 'string')
        for (const form of needed) if (!(form in text)) t.fail(`${language} ${key} has no ${form}`)
  }
})

t.test('nothing was left in English by mistake', async (t) => {
  for (const [language, catalog] of Object.entries(catalogs)) {
    if (language === 'en') continue
    const same = Object.entries(catalog)
      .filter(([key, text]) => text === english[key as keyof typeof english])
      .map(([key]) => key)
    t.same(same.sort(), [...(sameAsEnglish[language] ?? [])].sort(), language)
  }
})

t.test('the loader has its words in every language, in their own', async (t) => {
  const own = loaderWords(['en'])
  for (const language of languages.filter((name) => name !== 'en')) {
    const words = Object.entries(loaderWords([`${language}-XX`]))
    const same = words.filter(([name, text]) => text === own[name as keyof typeof own])
    t.same(same, language === 'de' ? [['wallet', 'Wallet']] : [], language)
  }
  t.equal(loaderWords(['ja', 'fr-CA']).wallet, 'Portefeuille', 'then the browser')
})

t.test('every text is said somewhere', async (t) => {
  const said = filesIn('widget-ui/src')
    .filter((file) => !file.startsWith('widget-ui/src/words/'))
    .flatMap(textsIn)
  const patterns = said.map(({ pattern }) => pattern)
  const known = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const open = patterns
    .filter((pattern) => /^\w+\.\*/.test(pattern))
    .map((pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '\\w+')}$`))
  for (const key of Object.keys(english))
    if (!known.has(key) && !open.some((pattern) => pattern.test(key))) t.fail(`${key} is unused`)
})

t.test('no page of people says a word of its own', async (t) => {
  const files = reachedFrom(entries)
  t.ok(files.size > 40, 'the pages are found')
  for (const file of files)
    for (const { pattern, isShown } of textsIn(file))
      if (isShown || looksLikeWords(pattern)) t.fail(`${file} says "${pattern}" by itself`)
})

t.test('a wish that can be spoken wins, with its region; else the next one', async (t) => {
  t.same(chooseSpeech(['de-AT', 'fr']), { language: 'de', locale: 'de-AT' })
  t.same(chooseSpeech([undefined, null, 'pt-BR']), { language: 'pt', locale: 'pt-BR' })
  t.same(chooseSpeech(['ja-JP', 'PL']), { language: 'pl', locale: 'PL' })
  t.same(chooseSpeech(['ja-JP']), { language: 'en', locale: 'en' })
  t.same(chooseSpeech(['deu', 'den-XX', '']), { language: 'en', locale: 'en' })
})

t.test('counts choose the plural of the language and are written in it', async (t) => {
  speak({ language: 'pl', locale: 'pl-PL' }, polish)
  const pending = (count: number) => say('wallet.pendingMany', { count }).split('.')[0]
  t.equal(pending(1), 'Bank przetwarza 1 doładowanie')
  t.equal(pending(3), 'Bank przetwarza 3 doładowania')
  t.equal(pending(5), 'Bank przetwarza 5 doładowań')
  t.equal(pending(22), 'Bank przetwarza 22 doładowania')
  speak({ language: 'de', locale: 'de-DE' }, german)
  t.match(say('wallet.pendingMany', { count: 12_345 }), /12\.345 Aufladungen/)
  const parts = sayAround('bank.question', { amount: { bold: '5 €' } })
  t.same(parts, ['Mit Ihrer Karte soll eine Aufladung über ', { bold: '5 €' }, ' bezahlt werden.'])
})

/** Everything that a page loads, the words apart. */
function reachedFrom(starts: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const waiting = [...starts]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file) || !/^widget-ui\/src\/(?!words\/).+\.tsx?$/.test(file)) continue
    reached.add(file)
    waiting.push(...importsOf(file))
  }
  return reached
}

interface Found {
  /** With * in place of what a template puts in. */
  readonly pattern: string
  /** It stands in the page, or in an attribute that is read. */
  readonly isShown: boolean
}

const readAttributes = /^(label|title|hint|alt|placeholder|aria-label|aria-description)$/

/** What is the same in every language: an example of a number, a name of a standard. */
const universal = ['CVC', '1234 1234 1234 1234']

function textsIn(file: string): Found[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true)
  const found: Found[] = []
  const visit = (node: ts.Node): void => {
    if (isForMakers(node) || ts.isImportDeclaration(node)) return
    if (ts.isJsxText(node) && /\p{L}/u.test(node.text.replaceAll('&nbsp;', '')))
      found.push({ pattern: node.text.trim(), isShown: true })
    if (ts.isStringLiteralLike(node)) found.push({ pattern: node.text, isShown: isRead(node) })
    if (ts.isTemplateExpression(node)) {
      const pieces = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
      found.push({ pattern: pieces.join('*'), isShown: false })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isRead({ parent, text }: ts.StringLiteralLike): boolean {
  return (
    ts.isJsxAttribute(parent) &&
    readAttributes.test(parent.name.getText()) &&
    /\p{L}/u.test(text) &&
    !universal.includes(text)
  )
}

/** Errors and lines of the console are read by those who build pages. */
function isForMakers(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) return node.expression.getText().endsWith('Error')
  return ts.isCallExpression(node) && /^console\./.test(node.expression.getText())
}

/** "Log in here", "Enter *": a capital, and a blank after a word. */
function looksLikeWords(pattern: string): boolean {
  return /^\s*\p{Lu}\p{Ll}+[ ,.!?]/u.test(pattern) || /\p{Ll} \p{Ll}+ \p{Ll}+[ .]/u.test(pattern)
}
