/**
 * `npm run schema-drift`: does everybody notice when a schema is changed alone? Renames a field of
 * an answer and one of a request in a copy of the last commit, and looks who complains: the types
 * of handlers, pages and client, the documents, the examples in them, and the answers themselves.
 * Prints a table; exit code 1 when somebody did not notice. About five minutes.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/repository.js'

interface Rename {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** Of `guards`: an answer that only a backend reads is none of the pages' business. */
  readonly noticedBy: readonly (keyof typeof guards)[]
}

const renames: readonly Rename[] = [
  {
    name: 'referenceType of an entry, in answers',
    file: 'src/http/schemas/answers/wallets.ts',
    from: '  referenceType: nullable(Type.String()),\n',
    to: '  referenceKind: nullable(Type.String()),\n',
    noticedBy: ['handlers', 'pages', 'client', 'openapi.json', 'reference', 'answers'],
  },
  {
    name: 'referenceId, in requests of backends',
    file: 'src/http/schemas/server-wallet.ts',
    from: '  referenceId: field.referenceId(),\n',
    to: '  referenceNumber: field.referenceId(),\n',
    noticedBy: ['handlers', 'client', 'openapi.json', 'reference', 'examples', 'answers'],
  },
]

/** By a line that the compiler or a test prints when it notices. */
const guards = {
  handlers: /^src\/http\/.+: error TS/m,
  pages: /^(\.\.\/)*widget-ui\/.+: error TS/m,
  client: /^test\/client\/types\.test\.ts.+: error TS/m,
  'openapi.json': /not ok .+the checked-in document is what the service answers/,
  reference: /not ok .+the documents name every field of the contract/,
  examples: /not ok .+ README\.md/,
  answers: /FAIL {2}test\/spec\/04a-server-wallet\.test\.ts/,
}

const specs = ['test/http/openapi.test.ts', 'test/spec/04a-server-wallet.test.ts']
const examples = 'test/docs/commands.test.ts'

const folder = await mkdtemp(join(tmpdir(), 'wallet-drift-'))
try {
  await output('git', ['clone', '-q', root, folder], root)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  let missed = 0
  for (const rename of renames) {
    const said = await saidAbout(rename)
    console.log(`\n${rename.name}`)
    for (const guard of rename.noticedBy) {
      const hasNoticed = guards[guard].test(said)
      if (!hasNoticed) missed += 1
      console.log(`  ${guard.padEnd(12)} ${hasNoticed ? 'noticed' : 'DID NOT NOTICE'}`)
    }
  }
  console.log(missed === 0 ? '\neverybody noticed' : `\n${missed} DID NOT NOTICE`)
  process.exitCode = missed === 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** All that compiler and tests print of the copy with this one change. */
async function saidAbout({ file, from, to, noticedBy }: Rename): Promise<string> {
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  if (text.split(from).length < 2) throw new Error(`${file} has no line ${from}`)
  await writeFile(path, text.replace(from, to))
  const tests = noticedBy.includes('examples') ? [...specs, examples] : specs
  const said = [
    await output('npx', ['tsc', '--noEmit', '--pretty', 'false'], folder),
    await output('npx', ['tsc', '--noEmit', '--pretty', 'false', '-p', 'widget-ui'], folder),
    await output(process.execPath, ['test/run.mjs', ...tests], folder),
  ]
  await writeFile(path, text)
  return said.join('\n')
}

/** Of both kinds, also of a program that fails: that is what is hoped for. */
function output(program: string, args: readonly string[], cwd: string): Promise<string> {
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve) => {
    execFile(program, [...args], options, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
}
