/**
 * The commands of the documents, as a reader would copy them: each page's blocks in one bash, in a
 * folder of the test's own, with the variables of shop.env. `npm run -s wallet` is the built
 * command line; a curl that is answered with an error fails, which curl itself does not tell.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { textOf } from './repository.js'

export interface Block {
  /** Where it begins, to be named in a failure. */
  readonly line: number
  readonly language: string
  readonly text: string
}

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: { line: number; language: string; lines: string[] } | undefined
  for (const [index, text] of textOf(page).split('\n').entries()) {
    // A name may stand behind the language.
    const fence = /^```(\w*)( .*)?$/.exec(text)
    if (fence === null) open?.lines.push(text)
    else if (open === undefined) open = { line: index + 1, language: fence[1] ?? '', lines: [] }
    else {
      blocks.push({ line: open.line, language: open.language, text: open.lines.join('\n') })
      open = undefined
    }
  }
  return blocks
}

/** What people type in a transcript, with the ids of this run instead of the ones shown. */
export function typedIn({ text }: Block): string {
  const typed = text.split('\n').filter((line) => /^(\$ )?(npm run -s wallet|node) /.test(line))
  return typed
    .join('\n')
    .replaceAll(/^\$ /gm, '')
    .replaceAll(/(usr_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '$WALLET_USER_ID')
}

/** Comments right below a command: what it prints, line by line. */
export function printedBy({ text }: Block): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const isBelow = (at: number): boolean => {
      const before = lines[at - 1] ?? ''
      return before.startsWith('# ') ? isBelow(at - 1) : before.trim() !== ''
    }
    return line.startsWith('# ') && isBelow(index) ? [line.slice(2)] : []
  })
}

const prelude = `set -eu -o pipefail
npm() {
  case "$*" in
    'run -s wallet -- '*) shift 4; command node "$WALLET_MAIN" "$@" ;;
    *) echo "no test runs: npm $*" >&2; return 1 ;;
  esac
}
curl() {
  local answer
  answer=$(command curl -s "$@" -w '\\n%{http_code}')
  printf '%s\\n' "\${answer%$'\\n'*}"
  case "\${answer##*$'\\n'}" in
    2*) ;;
    *) echo "curl was answered with \${answer##*$'\\n'}" >&2; return 1 ;;
  esac
}
if [ -f shop.env ]; then set -a; . ./shop.env; set +a; fi
`

export interface Ran {
  readonly code: number | null
  /** Of each block, by the line that it begins at. */
  readonly printed: ReadonlyMap<number, string>
  readonly errors: string
}

export interface Place {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

export async function runBlocks(blocks: readonly Block[], place: Place): Promise<Ran> {
  const marked = blocks.map(({ line, text }) => `printf '\\n@@%s\\n' ${line}\n${text}`)
  const { code, stdout, stderr } = await run('bash', ['-c', prelude + marked.join('\n')], place)
  const [, ...parts] = stdout.split(/^@@(\d+)\n/m)
  const printed = new Map<number, string>()
  for (let at = 0; at < parts.length; at += 2) printed.set(Number(parts[at]), parts[at + 1] ?? '')
  return { code, printed, errors: stderr }
}

export async function run(program: string, args: readonly string[], place: Place, input = '') {
  const child = spawn(program, args, {
    cwd: place.folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...place.environment },
    timeout: 120_000,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
