import { expect } from 'chai';
import * as fc from 'fast-check';
import { jsonRecords, maxRecordBytes } from '../../../../adapters/import-formats/json-records.ts';

async function* inChunks(content: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of [...sizes, content.length]) {
    yield content.subarray(at, at + size);
    at += size;
  }
}

const recordsIn = async (text: string, sizes: readonly number[] = []) => {
  const records = [];
  for await (const record of jsonRecords(inChunks(Buffer.from(text), sizes), 'users')) records.push(record);
  return records;
};

const textsIn = async (text: string, sizes?: readonly number[]) =>
  (await recordsIn(text, sizes)).map(({ content }) => content?.toString());

/** Objects whose names and texts look like the structure of a document. */
const object = fc.dictionary(
  fc.constantFrom('users', 'a', '"', '{', 'é'),
  fc.jsonValue({ stringUnit: fc.constantFrom('"', '\\', '{', ']', ',', 'é', '🦊') }),
);

/** The documents that hold the same records. */
const documents: Readonly<Record<string, (records: readonly string[]) => string>> = {
  'a list': (records) => `[${records.join(' ,\n')}]`,
  'the list of an object': (records) =>
    `{"roles": {"users": [{}]}, "name": "users", "users": [${records.join(',')}], "clients": [{"a": [{}]}]}`,
  'JSON Lines': (records) => records.join('\n'),
};

describe('the records of a JSON document', () => {
  for (const [name, document] of Object.entries(documents))
    it(`are the texts of the objects in ${name}, whatever the chunks`, async () => {
      const isUsers = fc.array(
        object.filter((value) => !('users' in value)),
        { minLength: 1 },
      );
      await fc.assert(
        fc.asyncProperty(isUsers, fc.array(fc.nat(9)), fc.boolean(), async (values, sizes, isMarked) => {
          const texts = values.map((value) => JSON.stringify(value));
          const content = (isMarked ? '\ufeff' : '') + document(texts);
          expect(await textsIn(content, sizes)).to.deep.equal(texts);
        }),
      );
    });

  it('have numbers, and the offsets at which they end', async () => {
    const records = await recordsIn('[{"a":1}, {"é":2}]');
    expect(records.map(({ number, end }) => [number, end])).to.deep.equal([
      [1, 8],
      [2, 18],
    ]);
  });

  it('include what is no object, so that it is reported', async () => {
    expect(await textsIn('{"a":1}\nwords\n{"b":2}')).to.deep.equal(['{"a":1}', '?', '{"b":2}']);
    expect(await textsIn('[{"a":1}, 7, "x", {"b":2}]')).to.deep.equal(['{"a":1}', '?', '?', '{"b":2}']);
    expect(await textsIn('[{"a":1], {"b":2}]')).to.deep.equal(['{"a":1]', '{"b":2}']);
    expect(await textsIn('{"a":1}]}]}]\n{"b":2}')).to.deep.equal(['{"a":1}', '?', '{"b":2}']);
  });

  for (const text of ['{"users": [{"a":1}, {"b":', '[{"a":1},', '{"a":1}\n"b', '[{"a":1}'])
    it(`end with a malformed one if the file is cut off: ${text}`, async () => {
      expect(await textsIn(text)).to.deep.equal(['{"a":1}', '?']);
    });

  it('are undefined above the limit, and do not end the file', async () => {
    const large = JSON.stringify({ a: 'x'.repeat(maxRecordBytes) });
    expect(await textsIn(`[${large},{"b":2}]`, [70_000, 70_000])).to.deep.equal([undefined, '{"b":2}']);
    expect(await textsIn(`{"settings":${large},"users":[{"b":2}]}`)).to.deep.equal(['{"b":2}']);
  });
});
