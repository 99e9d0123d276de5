import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { repository, textOf } from './documents.ts';

const sources = ['adapters', 'bootstrap'].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
);

describe('Environment variables in docs/configuration.md', () => {
  it('include all that the source names', () => {
    const [, section = ''] = textOf('docs/configuration.md').split('## Environment variables');
    const known = sources.flatMap(
      (text) => text.match(/(?<!constants\.)\b(?:LATCHKEY|UV|NODE|OTEL|AWS)_[A-Z][A-Z_]*[A-Z]\b/g) ?? [],
    );
    expect(known).to.include('LATCHKEY_CONFIG');
    for (const name of new Set(known)) expect(section).to.include(name);
  });
});
