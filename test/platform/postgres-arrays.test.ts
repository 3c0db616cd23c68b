// What PostgreSQL reads of the columns is what went in.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import { plainArray, textArray, uuidArray } from '../../src/platform/postgres-arrays.js'
import { freshDatabase } from '../support/database.js'

t.test('columns arrive as they were sent', async (t) => {
  const { url } = await freshDatabase(t)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const arrived = async (type: string, column: Buffer | string): Promise<unknown> => {
    const text = `select $1::${type}[]::text[] as column`
    const { rows } = await client.query<{ column: unknown }>(text, [column])
    return rows[0]?.column
  }
  try {
    const some = Array.from({ length: 300 }, () => randomUUID())
    const ids = [null, ...some, null, '00000000-0000-0000-0000-000000000000', null]
    t.same(await arrived('uuid', uuidArray(ids)), ids)
    const [id = ''] = some
    t.same(
      await arrived('uuid', uuidArray([id.toUpperCase(), `${id.slice(0, 9)}${id.slice(9)}`])),
      [id, id],
    )
    t.same(await arrived('uuid', uuidArray([null])), [null])
    t.same(await arrived('uuid', uuidArray([])), [])
    const texts = ['', null, 'a "quoted" \\ {text}', 'äöü €', '𝒳', 'x'.repeat(100_000), 'NULL']
    t.same(await arrived('text', textArray(texts)), texts)
    t.same(await arrived('bigint', plainArray([1, null, -5])), ['1', null, '-5'])
  } finally {
    await client.end()
  }
})
