/**
 * `node test/support/typescript/check.mjs server|pages`: what `tsc` and `eslint` would say of one
 * project, in one process, so that the types are worked out once for both. The pages are the
 * project of widget-ui; the server is everything else, also a file that belongs to no project:
 * the linter then says so.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ESLint } from 'eslint'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const projects = {
  server: { config: 'tsconfig.json', files: ['.'], ignores: ['widget-ui/**'] },
  pages: { config: 'widget-ui/tsconfig.json', files: ['widget-ui'], ignores: [] },
}

const project = projects[process.argv[2]]
if (project === undefined) throw new Error(`one of ${Object.keys(projects).join(', ')}`)
const program = programOf(path.join(root, project.config))
const typeFaults = ts.getPreEmitDiagnostics(program)
console.log(ts.formatDiagnostics(typeFaults, formatting()))
const lintFaults = await lint(program, project)
console.log(lintFaults)
process.exitCode = typeFaults.length === 0 && lintFaults === '' ? 0 : 1

function programOf(config) {
  const onUnRecoverableConfigFileDiagnostic = (fault) => {
    throw new Error(ts.formatDiagnostic(fault, formatting()))
  }
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic }
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(config, {}, host)
  return ts.createProgram({
    rootNames: fileNames,
    options,
    configFileParsingDiagnostics: errors,
  })
}

/** The rules of eslint.config.mjs, on the types that are known already. */
async function lint(program, { files, ignores }) {
  const parserOptions = { projectService: false, programs: [program] }
  const eslint = new ESLint({
    cwd: root,
    overrideConfig: [{ ignores }, { files: ['**/*.{ts,tsx}'], languageOptions: { parserOptions } }],
  })
  const results = await eslint.lintFiles(files)
  const { format } = await eslint.loadFormatter('stylish')
  return format(results)
}

function formatting() {
  return {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  }
}
