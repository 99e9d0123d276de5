import { readFile } from 'node:fs/promises';
import { apiRegions } from './api.ts';
import { configurationRegions } from './configuration.ts';
import { type Regions, withRegions } from './regions.ts';

/** The documents with parts that are made, and what makes them. */
const makers: Readonly<Record<string, () => Promise<Regions>>> = {
  'configuration.md': configurationRegions,
  'api.md': apiRegions,
};

/** A document of the folder `docs`, as it is and as it should be. */
export interface MadeDocument {
  readonly file: URL;
  readonly present: string;
  readonly made: string;
}

/** Every document with parts that are made. */
export const madeDocuments = (): Promise<readonly MadeDocument[]> =>
  Promise.all(
    Object.entries(makers).map(async ([name, make]) => {
      const file = new URL(`../../docs/${name}`, import.meta.url);
      const present = await readFile(file, 'utf8');
      return { file, present, made: withRegions(present, await make()) };
    }),
  );
