/**
 * Who imports whom, and whose tables a file names in SQL: what test/tidy.test.ts holds the rooms
 * to. Names are relative to the root, with forward slashes.
 */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { root, textOf } from './repository.js'

export function filesIn(folder: string, kind = 'tsx?'): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => new RegExp(`\\.${kind}$`).test(name))
    .sort()
}

export function importsOf(file: string): string[] {
  return specifiersOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)))
    .map((target) => (existsSync(join(root, target)) ? target : target.replace(/\.js$/, '.ts')))
    .map((target) => (existsSync(join(root, target)) ? target : `${target}x`))
}

/** These files and all that is loaded with them: not for types alone, not what waits for later. */
export function loadedBy(starts: readonly string[]): Set<string> {
  const loaded = new Set<string>()
  const waiting = [...starts]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (loaded.has(file)) continue
    loaded.add(file)
    for (const [, name = ''] of textOf(file).matchAll(/^import (?!type )[^']*'(\.[^']+)\.js'/gm))
      waiting.push(`${normalize(join(dirname(file), name))}.ts`)
  }
  return loaded
}

export function packagesOf(file: string): string[] {
  return specifiersOf(file).filter((specifier) => !specifier.startsWith('.'))
}

/** Of values and of types, at the top and on demand. */
function specifiersOf(file: string): string[] {
  return ts.preProcessFile(textOf(file), true, true).importedFiles.map(({ fileName }) => fileName)
}

/** Each once, from its first file by name. */
export function circlesOf(files: readonly string[]): Set<string> {
  const imports = new Map(files.map((file) => [file, importsOf(file)]))
  const circles = new Set<string>()
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start !== -1) {
      const circle = path.slice(start)
      const first = circle.indexOf([...circle].sort()[0] ?? '')
      const turned = [...circle.slice(first), ...circle.slice(0, first), circle[first]]
      circles.add(turned.join(' → '))
    }
    if (start !== -1 || done.has(file)) return
    path.push(file)
    for (const target of imports.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of files) visit(file)
  return circles
}

/** Table, view or function → the folder that makes it; `schema.*` where one folder has them all. */
export function tableOwners(code: readonly string[]): Map<string, string> {
  const owners = new Map<string, string>()
  const made = /\bcreate (?:table|view|function)(?: if not exists)? ((?:\w+\.)?\w+)/g
  for (const file of [...code, ...filesIn('src', 'sql'), ...filesIn('projections', 'sql')])
    for (const [, name = ''] of textOf(file).matchAll(made)) {
      const [folder] = /^projections|.*(?=\/)/.exec(file) ?? []
      owners.set(name.includes('.') ? name : `read.${name}`, folder ?? '')
    }
  for (const [name, folder] of [...owners]) {
    const all = name.replace(/\..*/, '.*')
    const inOne = [...owners].every(([n, f]) => n.replace(/\..*/, '.*') !== all || f === folder)
    if (inOne) owners.set(all, folder)
  }
  for (const schema of ['read_next', 'read_old']) owners.set(`${schema}.*`, 'projections')
  return owners
}

/** What its texts name of these schemas; a name that is put together shows its schema alone. */
export function tablesNamedIn(file: string, schemas: ReadonlySet<string>): string[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true)
  const named = new RegExp(`\\b(?:${[...schemas].join('|')})\\.(?!js\\b|sql\\b)[\\w*]+`, 'g')
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(...(node.text.match(named) ?? []))
    if (ts.isTemplateExpression(node)) {
      const texts = [node.head, ...node.templateSpans.map(({ literal }) => literal)]
      found.push(
        ...(texts
          .map(({ text }) => text)
          .join('*')
          .match(named) ?? []),
      )
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
