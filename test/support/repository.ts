/**
 * The tracked files of this repository, and who names whom among them: what test/tidy.test.ts
 * walks. Names are relative to the root, with forward slashes.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Undefined where there is no git or no checkout, such as in an unpacked archive. */
export function trackedFiles(): readonly string[] | undefined {
  try {
    // New files too, unless they are ignored: the rules hold before the commit.
    const known = listed(['--cached', '--others', '--exclude-standard', '--deduplicate'])
    const deleted = listed(['--deleted'])
    return known.filter((name) => !deleted.includes(name))
  } catch {
    return undefined
  }
}

function listed(args: readonly string[]): string[] {
  const listing = execFileSync('git', ['ls-files', '-z', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return listing.split('\0').filter((name) => name !== '')
}

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** The tracked files that a file names in quotation marks, however it loads them. */
export function namedBy(file: string, tracked: ReadonlySet<string>): string[] {
  const quoted = [...textOf(file).matchAll(/(["'`])([^"'`\n]{1,200}?)\1/g)].map(
    ([, , text = '']) => text,
  )
  return quoted.flatMap((text) => {
    const path = posix.normalize(posix.join(dirname(file), text))
    const candidates = [path, posix.normalize(text)].flatMap((name) => [name, ...sourcesOf(name)])
    return candidates.filter((name) => tracked.has(name) && name !== file)
  })
}

/** What a specifier of TypeScript's modules may mean. */
function sourcesOf(name: string): string[] {
  if (name.endsWith('.js')) return [name.replace(/\.js$/, '.ts'), name.replace(/\.js$/, '.tsx')]
  return name.endsWith('.mjs') ? [name.replace(/\.mjs$/, '.d.mts')] : []
}

/** Everything that is reached from these files by names in quotation marks. */
export function reachedFrom(starts: readonly string[], tracked: ReadonlySet<string>): Set<string> {
  const reached = new Set<string>()
  const waiting = [...starts]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    if (/\.(ts|tsx|mts|mjs|js|css|html)$/.test(file)) waiting.push(...namedBy(file, tracked))
  }
  return reached
}

/** Links in a page of the documentation that lead to no tracked file or folder. */
export function brokenLinks(page: string, tracked: ReadonlySet<string>): string[] {
  const text = textOf(page).replaceAll(/^```[\s\S]*?^```/gm, '')
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [path = '', heading] = target.split('#', 2)
    const file = path === '' ? page : posix.normalize(posix.join(dirname(page), path))
    const isFolder = [...tracked].some((name) => name.startsWith(`${file.replace(/\/$/, '')}/`))
    if (!tracked.has(file)) return !isFolder
    return heading !== undefined && !headingsOf(file).includes(heading)
  })
}

/** As GitHub names them: lower case, no punctuation, a hyphen for each space. */
function headingsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Where somebody's machine shows: its home, its temporary files, this very checkout. */
export function pathOfMachine(file: string): string | undefined {
  const text = textOf(file)
  const own = [root.replace(/[\\/]$/, ''), homedir()].filter((path) => path.split('/').length > 2)
  const found = own.find((path) => text.includes(path))
  if (found !== undefined) return found
  const foreign = /(?<![\w.~/-])\/(?:home|Users|root|work|private\/tmp|tmp)\/[\w.-]+/.exec(text)
  return foreign?.[0]
}
