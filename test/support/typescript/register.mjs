/**
 * `node --import ./test/support/typescript/register.mjs`: Node runs the TypeScript of this
 * repository as it stands, each file under its own address. The run of all tests has transpiled it
 * before, so that a test file starts faster; else each process does it for itself.
 */
import { register } from 'node:module'

// Failures name the lines that people know.
process.setSourceMapsEnabled(true)
register('./hooks.mjs', import.meta.url)
