import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { Section } from '../bench.ts';
import { root } from '../machine.ts';
import { Results } from '../results.ts';
import { csv } from './csv.ts';
import { document } from './document.ts';
import { picture } from './picture.ts';

const resultsFile = join(root, 'benchmarks', 'results.json');
const page = join(root, 'docs', 'performance.md');
const csvFile = join(root, 'docs', 'results', 'performance.csv');
const pictureFile = join(root, 'docs', 'performance.svg');

/** The saved results; throws if the file is not valid. */
export const savedResults = (): Results => {
  if (!existsSync(resultsFile)) return {};
  const read = Results.decode(JSON.parse(readFileSync(resultsFile, 'utf8')));
  if (isLeft(read)) throw new Error('benchmarks/results.json is not valid; delete it and measure again');
  return read.right;
};

// Four significant digits are enough.
const shortened = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value;

/** Saves results, and keeps those of sections that were not run. */
export const save = (results: Results): void => {
  writeFileSync(resultsFile, `${JSON.stringify({ ...savedResults(), ...results }, shortened, 1)}\n`);
};

/** Writes the page, its picture and the CSV file from the saved results. */
export const render = (sections: readonly Section[]): void => {
  const results = savedResults();
  mkdirSync(dirname(csvFile), { recursive: true });
  writeFileSync(page, document(sections, results));
  writeFileSync(csvFile, csv(sections, results));
  writeFileSync(pictureFile, picture(results));
};
