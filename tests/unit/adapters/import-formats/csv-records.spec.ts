import { expect } from 'chai';
import * as fc from 'fast-check';
import { csvRecords } from '../../../../adapters/import-formats/csv-records.ts';
import { maxRecordBytes } from '../../../../adapters/import-formats/json-records.ts';

async function* inChunks(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

/** The cells of each record as an object; a text for a record without any. */
const recordsIn = async (text: string, columns: readonly string[] | null = null, chunkSize = 7) => {
  const records: unknown[] = [];
  for await (const { number, content, problem } of csvRecords(inChunks(Buffer.from(text), chunkSize), columns)) {
    expect(number).to.equal(records.length + 1);
    if (content !== undefined) records.push(JSON.parse(content.toString()));
    else
      records.push(problem === undefined ? 'too long' : `${problem.code} ${problem.errors[0]?.message.split(':')[0]}`);
  }
  return records;
};

const columns = ['id', 'name', 'photo', 'disabled'];
const header = `${columns.join(',')}\n`;
const row = (id: number | string) => `${id},Joe,p,f`;
const user = (id: string) => ({ id, name: 'Joe', photo: 'p', disabled: 'f' });

/** Rows that are not escaped, as the tool of Firebase writes them: it quotes a name only if it has a comma. */
const malformedRows: Readonly<Record<string, string>> = {
  'a quote at the start of a cell': '2,"Joe,p,f',
  'quotes around a part of a cell': '2,"Joe" Doe,p,f',
  'a quote within quotes': '2,"Joe "JJ", Doe",p,f',
  'a backslash before a quote within quotes': '2,"{""a"":""\\"b""}",p,f',
  'a backslash before a quote and a comma within quotes': '2,"{""a"":""\\",b""}",p,f',
  'a comma without quotes': '2,Joe,https://example.com/a,b,t',
  'too few cells': '2,Joe',
};

describe('the records of comma-separated values', () => {
  it('are the cells that were written, whatever the chunks', async () => {
    const cell = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'é', '🦊', 'a'), maxLength: 8 });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const line = (cells: readonly string[]) => `${cells.map(quoted).join(',')}\r\n`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell)), fc.integer({ min: 1, max: 40 }), async (rows, size) => {
        const names = ['c0', 'c1', 'c2'];
        const expected = rows.map((cells) =>
          Object.fromEntries(cells.map((text, index) => [names[index], text]).filter(([, text]) => text !== '')),
        );
        expect(await recordsIn([names, ...rows].map(line).join(''), null, size)).to.deep.equal(expected);
      }),
    );
  });

  it('may end with a comma, begin with a byte order mark, and lack the last line end', async () => {
    const rows = '1,"Joe",p,f,\n\r\n2,Joe,p,f';
    expect(await recordsIn(`\ufeff${header}\n${rows}`)).to.deep.equal([user('1'), user('2')]);
    expect(await recordsIn(rows, columns)).to.deep.equal([user('1'), user('2')]);
  });

  it('keep quotes in a cell that does not begin with one, and line ends in one that does', async () => {
    const expected = [
      { id: '1', name: 'Joe "JJ" Doe', disabled: 'f' },
      { id: '2', name: 'Doe,\r\nJoe', photo: 'p' },
    ];
    const rows = '1,Joe "JJ" Doe,,f\n2,"Doe,\r\nJoe",p,\n';
    expect(await recordsIn(header + rows)).to.deep.equal(expected);
    expect(await recordsIn(rows, columns)).to.deep.equal(expected);
  });

  for (const [reason, malformed] of Object.entries(malformedRows))
    it(`lack only the row with ${reason}, and its line is named`, async () => {
      for (const others of [[row(3), row(4)], [row(3), '4,"Joe",p,f'], ['3,"Joe",p,f', '4,Joe,p,"f"'], []]) {
        const expected = others.map((_, index) => user(`${index + 3}`));
        const rows = [row(1), malformed, ...others].join('\n');
        expect(await recordsIn(header + rows)).to.deep.equal([user('1'), 'invalid_csv line 3', ...expected]);
        expect(await recordsIn(rows, columns)).to.deep.equal([user('1'), 'invalid_csv line 2', ...expected]);
      }
    });

  it('lack only the rows that are not escaped if several are', async () => {
    const rows = Object.values(malformedRows).flatMap((malformed) => [malformed, row(5), malformed, malformed]);
    const records = await recordsIn([...rows, row(6)].join('\n'), columns);
    expect(records).to.have.lengthOf(rows.length + 1);
    expect(records.filter((record) => typeof record === 'object')).to.deep.equal([
      ...Object.values(malformedRows).map(() => user('5')),
      user('6'),
    ]);
  });

  it('without a header are never one user of two rows, the second of which has the quote that the first lacks', async () => {
    for (const between of ['', `${row(5)}\n`]) {
      const records = await recordsIn(`1,"Joe,p,f\n${between}2,Ann",p,f\n${row(3)}\n`, columns);
      const others = between === '' ? [] : [user('5')];
      expect(records).to.deep.equal(['invalid_csv line 1', ...others, { ...user('2'), name: 'Ann"' }, user('3')]);
    }
  });

  it('lack a row that is too long, in memory for one', async () => {
    const long = 'x'.repeat(maxRecordBytes + 1);
    const lines = `${'y'.repeat(1_000)}\n`.repeat(maxRecordBytes / 1_000);
    const table = `${header}${row(1)}\n${long}\n2,"Joe\n${lines}${row(3)}\n`;
    const records = await recordsIn(table, null, 65_536);
    expect(records.slice(0, 3)).to.deep.equal([user('1'), 'too long', 'invalid_csv line 4']);
    expect(records.at(-1)).to.deep.equal(user('3'));
  });
});
