import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { documentPaths, repository, textOf } from './documents.ts';
import { isUrl, targetsIn } from './link-targets.ts';

/** The anchors of a document's headings, as GitHub creates them. */
const anchorsIn = (text: string): ReadonlySet<string> => {
  const seen = new Map<string, number>();
  const headings = text.replaceAll(/^( *)(```+|~~~+)[\s\S]*?^\1\2$/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm);
  const anchors = [...headings].map(([, heading = '']) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set([...anchors, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id)]);
};

/** The problem of a link; undefined if its target exists. */
const problemOf = (document: string, target: string): string | undefined => {
  if (isUrl(target)) return URL.canParse(target) ? undefined : 'is not a URL';
  const [path = '', anchor] = decodeURIComponent(target).split('#');
  const file = path === '' ? document : normalize(join(dirname(document), path));
  if (path.startsWith('/') || file.startsWith('..')) return 'leaves the repository';
  if (!existsSync(join(repository, file))) return 'no such file';
  if (anchor === undefined) return undefined;
  if (statSync(join(repository, file)).isDirectory()) return 'a folder has no headings';
  return file.endsWith('.md') && !anchorsIn(textOf(file)).has(anchor) ? 'no such heading' : undefined;
};

describe('Links of the documents', () => {
  it('are found in all forms, but not in code', () => {
    const text = '[a](b.md) ![c](<d.svg> "e") [f]\n\n[f]: g.md#h\n<img src="i.png">\n`[j](k)`\n```sh\n[l](m)\n```\n';
    expect(targetsIn(text)).to.have.members(['b.md', 'd.svg', 'g.md#h', 'i.png']);
  });

  it('use the anchors that GitHub creates', () => {
    const text = '# A `b.c`: d & e\n## Two words\n## Two words\n```sh\n# no heading\n```\n';
    expect([...anchorsIn(text)]).to.deep.equal(['a-bc-d--e', 'two-words', 'two-words-1']);
  });

  for (const document of documentPaths)
    it(`of ${document} have existing targets`, () => {
      const targets = targetsIn(textOf(document));
      const problems = targets.map((target) => [target, problemOf(document, target)] as const);
      expect(problems.filter(([, problem]) => problem !== undefined)).to.deep.equal([]);
    });
});
