/**
 * The logo of the service: one file that the operator names, read once at the start. Promises: it
 * is small, and a picture and nothing else, also when somebody opens it alone.
 */
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { logoBytesMax } from './limits.js'
import type { PageFile } from './page-files.js'

const types: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

export function readLogo(path: string): PageFile {
  const type = types[extname(path)]
  const content = type === undefined ? undefined : contentOf(path)
  if (type === undefined || content === undefined || content.length > logoBytesMax)
    throw new Error(
      `SERVICE_LOGO: ${path} must be an SVG, PNG or WebP file of at most ${logoBytesMax} bytes`,
    )
  return { type, content, gzipped: undefined }
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** An SVG may hold scripts: as a page of its own it would run them here. */
export const logoHeaders = {
  'cache-control': 'public, max-age=3600',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}
