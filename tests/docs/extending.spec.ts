import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { shownFileOf } from '../examples/shown-file.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const example = new URL('../../examples/mariadb-store/', import.meta.url);

describe('docs/extending.md', () => {
  const shown = fencedBlocksOf('extending.md').flatMap((block) => shownFileOf(block) ?? []);

  it('shows every part of the example', () => {
    expect(new Set(shown.map(({ file }) => file))).to.have.keys(
      'src/tables.ts',
      'src/mariadb-user-store.ts',
      'src/errors.ts',
      'src/index.ts',
      'test/contract.spec.ts',
      'test/http.spec.ts',
      'latchkey.yaml',
    );
  });

  for (const { file, part, line } of shown) {
    it(`shows ${file} unchanged, in line ${line}`, () => {
      expect(readFileSync(new URL(file, example), 'utf8')).to.include(part);
    });
  }
});
