import { expect } from 'chai';
import { sections } from '../../bootstrap/configuration/configuration.ts';
import { documentedBlocks } from '../../tools/docs/blocks.ts';
import { generatedDocuments } from '../../tools/docs/documents.ts';
import { withRegions } from '../../tools/docs/markdown.ts';

describe('Generated parts of the documents', () => {
  it('match the code; `npm run docs` updates them', async () => {
    for (const { file, current, generated } of await generatedDocuments())
      expect(current === generated, file.pathname).to.equal(true);
  });

  it('include a table for every block and every list of blocks', async () => {
    const blocks = await documentedBlocks();
    const paths = new Set(blocks.map(({ name, path }) => path || name));
    for (const name of Object.keys(sections.options)) if (name !== 'operationTimeout') expect(paths).to.include(name);
    for (const { path, options } of blocks) {
      for (const [key, { codec }] of Object.entries(options)) {
        const place = path === '' ? key : `${path}.${key}`;
        if (codec.name === 'a block of options') expect(paths).to.include(place);
        if (codec.name === 'a list of: a block of options') expect(paths).to.include(`${place}[]`);
      }
    }
  });

  it('describe every option', async () => {
    for (const { path, options } of await documentedBlocks()) {
      for (const [key, { meaning, codec }] of Object.entries(options)) {
        expect(meaning, `${path}.${key}`).to.match(/\.$/);
        expect(codec.name, `${path}.${key}`).to.not.equal('');
      }
    }
  });

  it('leave the rest of the document unchanged, and require exactly one region for each text', () => {
    const document = 'before\n<!-- npm run docs: a -->\nold\n<!-- end -->\nafter\n';
    expect(withRegions(document, new Map([['a', '$& new']]))).to.equal(
      'before\n<!-- npm run docs: a -->\n\n$& new\n\n<!-- end -->\nafter\n',
    );
    expect(() => withRegions(document, new Map())).to.throw('a');
    expect(() => withRegions('', new Map([['b', 'text']]))).to.throw('b');
    expect(() => withRegions(document + document, new Map([['a', 'text']]))).to.throw('a');
  });
});
