// `npm run docs` regenerates the tables of docs/configuration.md and docs/api.md.
import { writeFile } from 'node:fs/promises';
import { generatedDocuments } from './documents.ts';

for (const { file, current, generated } of await generatedDocuments())
  if (generated !== current) await writeFile(file, generated);
