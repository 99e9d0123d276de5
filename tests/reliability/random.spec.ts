import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { RandomStream } from './random.ts';

const folder = new URL('./', import.meta.url);

/** What is random and no choice of a guarantee. */
const exceptions = new Map([
  ['guarantee.ts', 'the seed itself'],
  ['damage/mongodb-records.ts', 'a version, which the service would choose'],
]);

describe('the random choices of the guarantees', () => {
  const choices = (random: RandomStream): readonly number[] => Array.from({ length: 100 }, () => random.below(1_000));

  it('depend on the seed and the names of their stream only', () => {
    const stream = new RandomStream('seed').stream('guarantee', 1);
    const expected = choices(new RandomStream('seed').stream('guarantee').stream(1));
    const other = stream.stream('client');
    for (let index = 0; index < 50; index++) other.bytes(100);
    expect(choices(stream)).to.deep.equal(expected);
    for (const different of [
      new RandomStream('seed').stream('guarantee', 2),
      new RandomStream('another seed').stream('guarantee', 1),
    ])
      expect(choices(different)).to.not.deep.equal(expected);
  });

  it('are spread evenly', () => {
    const random = new RandomStream('seed');
    const counts = Array.from({ length: 8 }, () => 0);
    for (let index = 0; index < 8_000; index++) counts[random.below(8)]!++;
    for (const count of counts) expect(count).to.be.within(850, 1_150);
    expect(new Set(Array.from({ length: 1_000 }, () => random.uuid()))).to.have.length(1_000);
    expect(random.uuid()).to.match(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('come from no other generator', () => {
    const unseeded = /\bMath\.random\b|\brandom(?:Bytes|Fill|FillSync|Int|UUID)\b|\bgetRandomValues\b/;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name) && name !== 'random.spec.ts')
      .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
    const found = files.filter(({ text }) => unseeded.test(text)).map(({ name }) => name);
    expect(found.toSorted()).to.deep.equal([...exceptions.keys()].toSorted());
    for (const { name, text } of files)
      if (/\bfc\.(?:assert|check|sample)\(/.test(text))
        expect(text, `${name} gives fast-check a seed`).to.match(/\bseed:/);
  });
});
