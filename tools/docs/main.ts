// `npm run docs` makes the tables of docs/configuration.md and docs/api.md anew.
import { writeFile } from 'node:fs/promises';
import { madeDocuments } from './documents.ts';

for (const { file, present, made } of await madeDocuments()) if (made !== present) await writeFile(file, made);
