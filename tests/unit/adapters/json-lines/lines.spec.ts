import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Line, linesOf } from '../../../../adapters/json-lines/lines.ts';

async function* inChunks(content: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of [...sizes, content.length]) {
    yield content.subarray(at, at + size);
    at += size;
  }
}

const linesIn = async (content: Buffer, sizes: readonly number[] = []): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  for await (const line of linesOf(inChunks(content, sizes))) lines.push(line);
  return lines;
};

describe('the lines of a file', () => {
  it('do not depend on the chunks', async () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '🦊', ' ', '') }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom('\n', '\r\n'), fc.array(fc.nat(9)), async (lines, end, sizes) => {
        const content = Buffer.from(lines.map((line) => line + end).join(''));
        const found = await linesIn(content, sizes);
        expect(found.map((line) => line.content?.toString())).to.deep.equal(lines);
        expect(found.map(({ number }) => number)).to.deep.equal(lines.map((_, index) => index + 1));
        expect(found.at(-1)?.end).to.equal(content.length);
      }),
    );
  });

  it('include a last line without a line end', async () => {
    expect((await linesIn(Buffer.from('a\nb'))).map((line) => line.content?.toString())).to.deep.equal(['a', 'b']);
    expect(await linesIn(Buffer.alloc(0))).to.deep.equal([]);
  });

  it('start after a byte order mark, also if chunks split it', async () => {
    const content = Buffer.from('\ufeffa\r\n\ufeffb');
    for (const sizes of [[], [1], [2, 1]]) {
      const found = await linesIn(content, sizes);
      expect(found.map((line) => line.content?.toString())).to.deep.equal(['a', '\ufeffb']);
      expect(found.at(-1)?.end).to.equal(content.length);
    }
  });

  it('have no content if they are too long', async () => {
    const content = Buffer.from(`a\n${'x'.repeat(1024 * 1024 + 1)}\nb\n`);
    const found = await linesIn(
      content,
      Array.from({ length: 30 }, () => 65_536),
    );
    expect(found.map((line) => line.content?.toString())).to.deep.equal(['a', undefined, 'b']);
    expect(found.at(-1)?.end).to.equal(content.length);
  });
});
