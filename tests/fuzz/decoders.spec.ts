import * as fc from 'fast-check';
import { kinds } from './all-targets.ts';
import { fuzz, fuzzTime } from './fuzz-target.ts';

const seed = 1;
const numRuns = 1_000;

/** Parts that mean something to one decoder or another. */
const pieces = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '$',
  '=',
  '%',
  '@',
  '.',
  '\0',
  '\n',
  '\r\n',
  ' ',
  '0',
  '9'.repeat(20),
  'null',
].map((piece) => Buffer.from(piece));

/** An input with changed, doubled and missing parts. */
const changedFrom = (seeds: readonly Buffer[]): fc.Arbitrary<Buffer> => {
  const part = fc.oneof(
    fc.constantFrom(...pieces),
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(40)).map(([from, at, length]) => {
      const start = from.length === 0 ? 0 : at % from.length;
      return from.subarray(start, start + length);
    }),
  );
  const change = fc.record({ at: fc.nat(), removed: fc.nat(8), part });
  return fc.tuple(fc.constantFrom(...seeds), fc.array(change, { maxLength: 4 })).map(([from, changes]) =>
    changes.reduce((data, { at, removed, part: added }) => {
      const start = at % (data.length + 1);
      return Buffer.concat([data.subarray(0, start), added, data.subarray(start + removed)]);
    }, from),
  );
};

describe('what strangers send', () => {
  for (const [name, target] of Object.values(kinds).flatMap(({ targets }) => Object.entries(targets))) {
    const seeds = target.seeds.map((one) => Buffer.from(one));

    it(`breaks no decoder: ${name}`, async () => {
      for (const one of seeds) await fuzz(target, one);
      const inputs = fc.oneof(
        { weight: 9, arbitrary: changedFrom(seeds) },
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      );
      const property = fc.asyncProperty(inputs, (data) => fuzz(target, data));
      await fc.assert(property, { seed, numRuns });
    });

    it(`takes a time that the length bounds: ${name}`, () => fuzzTime(target));
  }
});
