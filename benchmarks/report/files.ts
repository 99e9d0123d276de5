import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { Section } from '../bench.ts';
import { root } from '../machine.ts';
import { Results } from '../results.ts';
import { document } from './document.ts';
import { picture } from './picture.ts';

const resultsFile = join(root, 'benchmarks', 'results.json');
const page = join(root, 'docs', 'performance.md');
const drawing = join(root, 'docs', 'performance.svg');

/** The results that are kept; throws when somebody else wrote the file. */
export const keptResults = (): Results => {
  if (!existsSync(resultsFile)) return {};
  const read = Results.decode(JSON.parse(readFileSync(resultsFile, 'utf8')));
  if (isLeft(read))
    throw new Error('benchmarks/results.json is not what the bench writes; remove it and measure again');
  return read.right;
};

// Four digits say all that such a figure knows.
const shortened = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value;

/** Keeps results beside those of the sections that were not run. */
export const keep = (results: Results): void => {
  writeFileSync(resultsFile, `${JSON.stringify({ ...keptResults(), ...results }, shortened, 1)}\n`);
};

/** Writes the page and its picture from the results that are kept. */
export const render = (sections: readonly Section[]): void => {
  const results = keptResults();
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, document(sections, results));
  writeFileSync(drawing, picture(results));
};
