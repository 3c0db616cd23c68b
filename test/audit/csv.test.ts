// What a spreadsheet makes of our cells.
import t from 'tap'
import { csvLine } from '../../src/audit/books/csv.js'

t.test('text that a spreadsheet would run as a formula gets an apostrophe in front', async (t) => {
  const cases: [what: string, text: string, cell: string][] = [
    ['an equals sign', '=1+1', "'=1+1"],
    ['a plus', '+1', "'+1"],
    ['a minus', '-1', "'-1"],
    ['an at sign', '@SUM(A1)', "'@SUM(A1)"],
    ['leading blanks', '  =1+1', "'  =1+1"],
    ['a leading no-break space', '\u00a0=1+1', "'\u00a0=1+1"],
    ['a leading newline', '\n=1+1', '"\'\n=1+1"'],
    ['a leading tab, which is shown as a dot', '\t=1+1', '·=1+1'],
    ['a full-width equals sign', '＝1+1', "'＝1+1"],
    ['a full-width plus', '＋1', "'＋1"],
    ['a full-width minus', '－1', "'－1"],
    ['a full-width at sign', ' ＠x', "' ＠x"],
    ['quotes and commas', '=A1,"x"', '"\'=A1,""x"""'],
  ]
  for (const [what, text, cell] of cases) t.equal(csvLine([text]), cell, what)
})

t.test('numbers stay numbers, and harmless text stays as it is', async (t) => {
  t.equal(csvLine([-5, 'a=b', 'Müller, Söhne', null, true]), '-5,a=b,"Müller, Söhne",,true')
})
