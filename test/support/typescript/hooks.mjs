/**
 * Node's module hooks behind register.mjs: `./x.js` means `./x.ts` where that exists, as tsc
 * understands it, and TypeScript is loaded as JavaScript under its own address.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { javascriptOf } from './transpile.mjs'

export async function resolve(specifier, context, next) {
  if (/^(\.{0,2}\/|file:).*\.js$/.test(specifier)) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true }
  }
  return next(specifier, context)
}

export async function load(url, context, next) {
  if (!/^file:.*\.ts$/.test(url)) return next(url, context)
  return { format: 'module', source: await javascriptOf(fileURLToPath(url)), shortCircuit: true }
}
