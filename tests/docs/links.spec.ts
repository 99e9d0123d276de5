import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { documentPaths, repository, textOf } from './documents.ts';
import { isElsewhere, targetsIn } from './link-targets.ts';

/** The anchors that GitHub gives to the headings of a document. */
const anchorsIn = (text: string): ReadonlySet<string> => {
  const seen = new Map<string, number>();
  const headings = text.replaceAll(/^( *)(```+|~~~+)[\s\S]*?^\1\2$/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm);
  const anchors = [...headings].map(([, heading = '']) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set([...anchors, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id)]);
};

/** What is wrong with a link of a document; undefined when it leads to something. */
const faultOf = (document: string, target: string): string | undefined => {
  if (isElsewhere(target)) return URL.canParse(target) ? undefined : 'is no URL';
  const [path = '', anchor] = decodeURIComponent(target).split('#');
  const file = path === '' ? document : normalize(join(dirname(document), path));
  if (path.startsWith('/') || file.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(join(repository, file))) return 'there is no such file';
  if (anchor === undefined) return undefined;
  if (statSync(join(repository, file)).isDirectory()) return 'a folder has no headings';
  return file.endsWith('.md') && !anchorsIn(textOf(file)).has(anchor) ? 'there is no such heading' : undefined;
};

describe('the links of the documents', () => {
  it('are found in every form, and not in code', () => {
    const text = '[a](b.md) ![c](<d.svg> "e") [f]\n\n[f]: g.md#h\n<img src="i.png">\n`[j](k)`\n```sh\n[l](m)\n```\n';
    expect(targetsIn(text)).to.have.members(['b.md', 'd.svg', 'g.md#h', 'i.png']);
  });

  it('name headings as GitHub does', () => {
    const text = '# A `b.c`: d & e\n## Two words\n## Two words\n```sh\n# no heading\n```\n';
    expect([...anchorsIn(text)]).to.deep.equal(['a-bc-d--e', 'two-words', 'two-words-1']);
  });

  for (const document of documentPaths)
    it(`of ${document} lead to something`, () => {
      const targets = targetsIn(textOf(document));
      const wrong = targets.map((target) => [target, faultOf(document, target)] as const);
      expect(wrong.filter(([, fault]) => fault !== undefined)).to.deep.equal([]);
    });
});
