/**
 * Makes folders, with those above them. Promises: ends, with the system's own error where nothing
 * can be made. Not by mkdir's `recursive`: where the parent exists and yet a new folder is answered
 * with ENOENT (/proc), Node makes the parent again and again, for ever.
 */
import { lstat, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'

/** `mode` is that of the folders that are made; one that is there keeps its own. */
export async function makeFolders(folder: string, mode = 0o777): Promise<void> {
  if ((await tryToMake(folder, mode)) === undefined) return
  const parent = path.dirname(folder)
  if (parent !== folder) await makeFolders(parent, mode)
  const missing = await tryToMake(folder, mode)
  if (missing !== undefined) throw missing
}

/** The error when something above the folder is missing; every other one is thrown. */
async function tryToMake(folder: string, mode: number): Promise<Error | undefined> {
  try {
    await mkdir(folder, { mode })
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return error as Error
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return undefined
    throw error
  }
}

/** Whatever it is, also a link that leads nowhere. */
export async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  )
}
