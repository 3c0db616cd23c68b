/**
 * What `npm start` and `npm run wallet` do before the service runs: install, build, hand over.
 * Each test works in a small project of its own with the real launcher and a tiny command;
 * npm is replaced by a script that notes how it was called, because a test asks no registry.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import t from 'tap'

const repository = fileURLToPath(new URL('../', import.meta.url))

t.test('a first start builds, and leaves output and exit code to the command', async (t) => {
  const project = await newProject(t)
  const run = await launch(project, ['greet', '--json'])
  t.equal(run.stdout, '{"greet":"--json","text":"select 1"}\n')
  t.equal(run.stderr, 'Building …\n')
  t.equal(run.code, 7)
})

t.test('a second start builds nothing and writes nothing', async (t) => {
  const project = await newProject(t)
  await launch(project, [])
  const built = await stat(path.join(project, 'dist'))
  const run = await launch(project, [])
  t.equal(run.stderr, '')
  t.equal(run.code, 7)
  t.equal((await stat(path.join(project, 'dist'))).ino, built.ino)
})

t.test('a changed or removed source is noticed', async (t) => {
  const project = await newProject(t)
  await launch(project, [])
  await writeFile(path.join(project, 'src/query.sql'), 'select 2')
  const changed = await launch(project, ['greet', 'you'])
  t.equal(changed.stderr, 'Building …\n')
  t.equal(changed.stdout, '{"greet":"you","text":"select 2"}\n')

  await rm(path.join(project, 'projections/extra.ts'))
  t.ok(existsSync(path.join(project, 'dist/projections/extra.js')))
  t.equal((await launch(project, [])).stderr, 'Building …\n')
  t.notOk(existsSync(path.join(project, 'dist/projections/extra.js')), 'nothing old is left')
})

t.test('a source with a mistake keeps the last build and says where', async (t) => {
  const project = await newProject(t)
  await launch(project, [])
  await writeFile(path.join(project, 'src/main.ts'), 'const = 1')
  const run = await launch(project, [])
  t.equal(run.code, 1)
  t.equal(run.stdout, '')
  t.match(run.stderr, /src\/main\.ts:1:6/)
  t.ok(existsSync(path.join(project, 'dist/src/main.js')))
  t.same(await leftovers(project), [])
})

t.test('three first starts at once all work', async (t) => {
  const project = await newProject(t)
  const runs = await Promise.all(['a', 'b', 'c'].map(async (name) => launch(project, ['hi', name])))
  t.same(
    runs.map(({ stdout, code }) => `${code} ${stdout}`),
    ['a', 'b', 'c'].map((name) => `7 {"hi":"${name}","text":"select 1"}\n`),
  )
  t.same(await leftovers(project), [])
})

t.test('a start that was killed while it prepared does not block the next', async (t) => {
  const project = await newProject(t)
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(gone, 'exit')
  await writeFile(path.join(project, '.launch-lock'), String(gone.pid))
  t.equal((await launch(project, [])).code, 7)
  t.same(await leftovers(project), [])
})

t.test('a signal reaches the command itself', async (t) => {
  const project = await newProject(t)
  const child = start(project, ['wait'])
  const output = gather(child)
  child.stdout?.once('data', () => child.kill('SIGTERM'))
  await once(child, 'close')
  t.equal(output.stdout(), 'waiting\ntold to stop\n')
  t.equal(child.exitCode, 3)
})

t.test('a shell that ends without passing a signal on ends the command too', async (t) => {
  const project = await newProject(t)
  t.equal((await launch(project, [])).code, 7, 'built')
  const command = `"${process.execPath}" src/launch/launch.mjs wait; echo a shell that waits`
  // As npm runs it, in a shell that does not become the command.
  const shell = spawn('sh', ['-c', command], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_lifecycle_event: 'start' },
  })
  const output = gather(shell)
  shell.stdout.once('data', () => shell.kill('SIGTERM'))
  // The command holds the pipe: it closes when the command has ended.
  await once(shell, 'close')
  t.equal(output.stdout(), 'waiting\ntold to stop\n')
})

t.test('a signal while packages are installed waits for npm to take them back', async (t) => {
  const project = await newProject(t, { isInstalled: false })
  const npm = `#!/bin/sh
trap 'sleep 0.3; echo taken back >> npm-calls; exit 1' TERM
echo begun > npm-calls
while :; do sleep 0.05; done
`
  await writeFile(path.join(project, 'tools/npm'), npm, { mode: 0o755 })
  const child = start(project, [])
  const output = gather(child)
  while (!existsSync(path.join(project, 'npm-calls'))) await pause(20)
  child.kill('SIGTERM')
  await once(child, 'close')
  t.same(npmCalls(project), ['begun', 'taken back'])
  t.equal(child.exitCode, 1)
  t.match(output.stderr(), 'Stopped by SIGTERM while installing packages.')
  t.same(await leftovers(project), [], 'nor is the lock left')
})

t.test('missing packages are installed, without those for development', async (t) => {
  const project = await newProject(t, { isInstalled: false })
  const run = await launch(project, ['greet', '--json'])
  t.equal(run.stderr, 'Installing packages (npm ci), once …\nBuilding …\n')
  t.equal(run.stdout, '{"greet":"--json","text":"select 1"}\n')
  t.same(npmCalls(project), ['ci --no-audit --no-fund --omit=dev'])
  await launch(project, [])
  t.equal(npmCalls(project).length, 1, 'once is enough')
})

t.test('packages for development that are there stay there', async (t) => {
  const project = await newProject(t, { isInstalled: false })
  const stale = {
    'node_modules/old': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0', dev: true },
  }
  await mkdir(path.join(project, 'node_modules'))
  const lockfile = path.join(project, 'node_modules', '.package-lock.json')
  await writeFile(lockfile, JSON.stringify({ packages: stale }))
  await launch(project, [])
  t.same(npmCalls(project), ['ci --no-audit --no-fund'])
})

t.test('an installation that fails shows what npm said', async (t) => {
  const project = await newProject(t, { isInstalled: false })
  await writeFile(path.join(project, 'tools/npm'), '#!/bin/sh\necho no network; exit 1\n')
  const run = await launch(project, [])
  t.equal(run.code, 1)
  t.equal(run.stdout, '')
  t.match(run.stderr, /npm ci .* failed:\nno network\n$/)
})

/** Apart: whole, it would be replaced by where this test stands (typescript/transpile.mjs). */
const address = 'url'

const program = `
import { readFileSync } from 'node:fs'
const [verb, word]: (string | undefined)[] = process.argv.slice(2)
const text = readFileSync(new URL('./query.sql', import.meta.${address}), 'utf8')
if (verb === 'wait') {
  const alive = setInterval(() => {}, 1_000)
  process.on('SIGTERM', () => {
    console.log('told to stop')
    clearInterval(alive)
    process.exitCode = 3
  })
  console.log('waiting')
} else {
  if (verb !== undefined) console.log(JSON.stringify({ [verb]: word, text }))
  process.exitCode = 7
}
`

async function newProject(
  t: { teardown(work: () => unknown): void },
  { isInstalled } = { isInstalled: true },
): Promise<string> {
  const project = await mkdtemp(path.join(tmpdir(), 'wallet-launch-'))
  t.teardown(() => rm(project, { recursive: true, force: true }))
  for (const folder of ['src', 'projections', 'tools'])
    await mkdir(path.join(project, folder), { recursive: true })
  for (const name of [
    'src/launch/launch.mjs',
    'src/launch/install.mjs',
    'src/launch/build.mjs',
    'package-lock.json',
  ])
    await cp(path.join(repository, name), path.join(project, name))
  await writeFile(path.join(project, 'package.json'), '{ "type": "module" }')
  await writeFile(path.join(project, 'src/main.ts'), program)
  await writeFile(path.join(project, 'src/query.sql'), 'select 1')
  await writeFile(path.join(project, 'projections/extra.ts'), 'export const extra = 1')
  const modules = path.join(repository, 'node_modules')
  if (isInstalled) await symlink(modules, path.join(project, 'node_modules'))
  const script = `#!/bin/sh\necho "$*" >> npm-calls\nrm -rf node_modules\nln -s '${modules}' .\n`
  await writeFile(path.join(project, 'tools/npm'), script, { mode: 0o755 })
  return project
}

function start(project: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [path.join(project, 'src/launch/launch.mjs'), ...args], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${path.join(project, 'tools')}${path.delimiter}${process.env['PATH'] ?? ''}` },
  })
}

async function launch(project: string, args: readonly string[]) {
  const child = start(project, args)
  const output = gather(child)
  await once(child, 'close')
  return { stdout: output.stdout(), stderr: output.stderr(), code: child.exitCode }
}

function gather(child: ChildProcess): { stdout(): string; stderr(): string } {
  const chunks = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (chunks.stdout += chunk.toString('utf8')))
  child.stderr?.on('data', (chunk: Buffer) => (chunks.stderr += chunk.toString('utf8')))
  return { stdout: () => chunks.stdout, stderr: () => chunks.stderr }
}

function npmCalls(project: string): string[] {
  return readFileSync(path.join(project, 'npm-calls'), 'utf8').trimEnd().split('\n')
}

/** Whatever a build or a lock would leave in the way. */
async function leftovers(project: string): Promise<string[]> {
  return (await readdir(project)).filter((name) => /^(dist\.|\.launch)/.test(name))
}

t.test('service and image run with the same flags', async (t) => {
  const textOf = (name: string) => readFileSync(path.join(repository, name), 'utf8')
  const [start = ''] = /"start": .*/.exec(textOf('package.json')) ?? []
  const [command = ''] = /^CMD .*/m.exec(textOf('Dockerfile')) ?? []
  const flagsOf = (line: string) => line.match(/--[a-z][^" ]+/g)
  t.same(flagsOf(start), ['--max-semi-space-size=64', '--no-memory-reducer'])
  t.same(flagsOf(command), flagsOf(start))
})
