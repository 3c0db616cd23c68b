/**
 * The files of `public`, held in memory: no path from outside ever reaches the disk. A page gets
 * the header that all share, and the public half of the configuration, written into its marks such
 * as {{currency}}; the secret stays in the backend.
 */
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { ShopError } from './shop-error.mjs'

const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export async function loadPages({ wallet, currency }) {
  const folder = new URL('public/', import.meta.url)
  const marks = {
    // Our own HTML; the others are text.
    header: await readFile(new URL('header.html', import.meta.url), 'utf8'),
    walletUrl: escaped(wallet.url),
    clientId: escaped(wallet.clientId),
    currency: escaped(currency),
  }
  const files = new Map()
  for (const name of await readdir(folder)) {
    const text = await readFile(new URL(name, folder), 'utf8')
    files.set(pathOf(name), { type: types[extname(name)], text: fillIn(text, marks) })
  }

  function send(reply, pathname) {
    const file = files.get(pathname)
    if (file === undefined) throw new ShopError(404, 'NOT_FOUND', 'There is no such page.')
    reply.writeHead(200, {
      'content-type': file.type,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      // The wallet may bring its loader and be framed; everything else is our own.
      'content-security-policy':
        `default-src 'self'; script-src 'self' ${wallet.url}; frame-src ${wallet.url}; ` +
        `base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'`,
    })
    reply.end(file.text)
  }

  return { send }
}

/** In one go: what is put in is not looked through again. */
function fillIn(text, marks) {
  return text.replaceAll(/{{(\w+)}}/g, (mark, name) => marks[name] ?? mark)
}

/** For a place inside an attribute's double quotes. */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

function pathOf(name) {
  if (name === 'index.html') return '/'
  return `/${name.replace(/\.html$/, '')}`
}
