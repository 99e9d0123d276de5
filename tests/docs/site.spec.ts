import { expect } from 'chai';
import { llmsTextOf, sectionsOf, sidebarOf } from '../../tools/site/contents.ts';
import { readSite } from '../../tools/site/pages.ts';
import { documentPaths } from './documents.ts';
import { isUrl, targetsIn } from './link-targets.ts';

describe('The site of the documents', () => {
  const { pages, files } = readSite();
  const map = pages.find(({ source }) => source === 'docs/README.md');
  if (map === undefined) throw new Error('docs/README.md is no page');
  const sections = sectionsOf(map);

  it('has every document in its sidebar and in llms.txt, with what it is for', () => {
    const documents = documentPaths.filter((path) => /^docs\/[\w-]+\.md$/.test(path) && path !== 'docs/README.md');
    const links = sidebarOf(sections, pages).flatMap(({ items }) => items.map(({ link }) => link));
    expect(links).to.include.members(documents.map((path) => `/${path}`));
    expect(new Set(links)).to.have.property('size', links.length);
    const text = llmsTextOf('Latchkey', 'summary', sections);
    for (const document of documents) expect(text).to.match(new RegExp(`\\(${document}\\): \\w+`));
  });

  it('has four sections', () => {
    expect(sidebarOf(sections, pages).map(({ text }) => text)).to.deep.equal(['Learn', 'Do', 'Look up', 'Understand']);
  });

  it('links only to pages and files that it has', () => {
    const paths = new Set([...pages.map(({ path }) => path), ...files.keys()]);
    for (const { source, text } of pages)
      for (const target of targetsIn(text).filter((found) => !isUrl(found) && !/^#|\.(?:png|svg)$/.test(found)))
        expect(paths, `${source} links to ${target}`).to.include(target.replace(/^\/|#.*/g, ''));
  });
});
