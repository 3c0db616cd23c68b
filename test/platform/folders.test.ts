// Folders with those above them, also where the system never makes one.
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { exists, makeFolders } from '../../src/platform/folders.js'

t.test('all missing folders are made, with the mode that was asked for', async (t) => {
  const top = t.testdir({ there: {} })
  const mode = async (...names: string[]) => (await stat(join(top, ...names))).mode & 0o777
  const before = await mode('there')
  await makeFolders(join(top, 'there', 'a', 'b'), 0o700)
  t.equal(await mode('there', 'a'), 0o700)
  t.equal(await mode('there', 'a', 'b'), 0o700)
  t.equal(await mode('there'), before, 'one that was there keeps its own')
  await makeFolders(join(top, 'there', 'a', 'b'))
  t.equal(await mode('there', 'a', 'b'), 0o700, 'nothing to do')
})

t.test('many who make the same folders at once all succeed', async (t) => {
  const folder = join(t.testdir({}), 'a', 'b', 'c')
  await Promise.all(Array.from({ length: 20 }, () => makeFolders(folder)))
  t.equal(await exists(folder), true)
})

t.test('a file in the way is an error, and so is a way that cannot be made', async (t) => {
  const top = t.testdir({})
  await writeFile(join(top, 'file'), '')
  await t.rejects(makeFolders(join(top, 'file')), { code: 'EEXIST' })
  await t.rejects(makeFolders(join(top, 'file', 'below')), { code: 'ENOTDIR' })
  await mkdir(join(top, 'folder'))
  t.equal(await exists(join(top, 'folder', 'nothing')), false)
})

t.test(
  'where the system answers that the parent is missing although it is there, it ends',
  { skip: process.platform === 'linux' ? false : 'there is no /proc' },
  async (t) => {
    await t.rejects(makeFolders('/proc/nowhere/data'), { code: 'ENOENT' })
  },
)
