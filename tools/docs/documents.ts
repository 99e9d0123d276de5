import { readFile } from 'node:fs/promises';
import { apiRegions } from './api.ts';
import { configurationRegions } from './configuration.ts';
import { type Regions, withRegions } from './markdown.ts';

/** The documents with generated regions, and their generators. */
const generators: Readonly<Record<string, () => Promise<Regions>>> = {
  'configuration.md': configurationRegions,
  'api.md': apiRegions,
};

/** The current and the generated content of a document in the folder `docs`. */
interface GeneratedDocument {
  readonly file: URL;
  readonly current: string;
  readonly generated: string;
}

/** Every document with generated regions. */
export const generatedDocuments = (): Promise<readonly GeneratedDocument[]> =>
  Promise.all(
    Object.entries(generators).map(async ([name, generate]) => {
      const file = new URL(`../../docs/${name}`, import.meta.url);
      const current = await readFile(file, 'utf8');
      return { file, current, generated: withRegions(current, await generate()) };
    }),
  );
