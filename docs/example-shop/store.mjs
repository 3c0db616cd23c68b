/**
 * The shop's data, users and orders, in one JSON file of mode 0600.
 * Promises: what `save` has resolved for is on the disk, and the file is whole at every moment: it
 * is written beside the old one and then renamed. For one process; a real shop has a database.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

export async function openStore(file) {
  await mkdir(dirname(file), { recursive: true })
  const { users, orders } = await readData(file)
  let lastWrite = Promise.resolve()
  const save = () => {
    // One after the other; each writes what is in memory when its turn comes.
    lastWrite = lastWrite.catch(() => undefined).then(() => writeData(file, { users, orders }))
    return lastWrite
  }
  return { users, orders, save }
}

async function readData(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return { users: [], orders: [] }
    throw error
  }
}

async function writeData(file, data) {
  const fresh = `${file}.new`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(JSON.stringify(data, null, 2))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
}
