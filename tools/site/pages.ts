import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A page of the site. */
export interface Page {
  /** The path of its Markdown file in the repository. */
  readonly source: string;
  /** The path of its Markdown file in the site. */
  readonly path: string;
  readonly title: string;
  /** Its Markdown, with links as the site has them. */
  readonly text: string;
}

/** The pages, and the files of the repository to which they link. */
interface Site {
  readonly pages: readonly Page[];
  /** Paths in the repository, by paths in the site. */
  readonly files: ReadonlyMap<string, string>;
}

const sources = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*.md', 'examples/*/README.md'];

/** The path in the site of a Markdown file. A README is the page of its folder. */
const pathOf = (source: string): string => source.replace(/README\.md$/, 'index.md');

/** Browsers show these; programs and configurations they only show as text. */
const shownByBrowsers = new Set(['.csv', '.json', '.png', '.svg']);

const filePathOf = (source: string): string => `source/${source}${shownByBrowsers.has(extname(source)) ? '' : '.txt'}`;

const code = /^( *)(```+)[\s\S]*?^\1\2$|(`+)(?:(?!\3)[\s\S])+?\3/gm;
const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Applies a change to a text whose code is replaced by placeholders meanwhile. */
const withoutCode = (text: string, change: (prose: string) => string): string => {
  const codes: string[] = [];
  const prose = text.replaceAll(code, (found) => `⟦${codes.push(found) - 1}⟧`);
  return change(prose).replaceAll(/⟦(\d+)⟧/g, (_, index: string) => codes[Number(index)] ?? '');
};

/**
 * The Markdown of a page with the links of the site: absolute for pages, copies for other files, and no links to folders
 * without a page.
 */
const linked = (source: string, sourcesOfPages: ReadonlySet<string>, files: Map<string, string>): string => {
  const targetOf = (target: string): string | undefined => {
    const [path = '', anchor] = target.split('#');
    if (path === '' || /^[a-z][a-z+.-]*:/i.test(path)) return target;
    const found = normalize(join(dirname(source), decodeURIComponent(path))).replace(/\/$/, '');
    const page = [found, join(found, 'README.md')].find((candidate) => sourcesOfPages.has(candidate));
    if (page !== undefined) return `/${pathOf(page)}${anchor === undefined ? '' : `#${anchor}`}`;
    if (!existsSync(join(repository, found)) || statSync(join(repository, found)).isDirectory()) return undefined;
    files.set(filePathOf(found), found);
    return `/${filePathOf(found)}`;
  };
  return withoutCode(readFileSync(join(repository, source), 'utf8'), (prose) =>
    prose.replaceAll(link, (whole, isImage: string, label: string, target: string) => {
      if (isImage === '!') return whole;
      const found = targetOf(target);
      return found === undefined ? label : `[${label}](${found})`;
    }),
  );
};

/** The Markdown of a page for programs: with relative links, which hold wherever the site is. */
export const withRelativeLinks = ({ path, text }: Page): string =>
  withoutCode(text, (prose) =>
    prose.replaceAll(/\]\(\/([^)\s]+)\)/g, (_, target: string) => `](${relative(dirname(path), target)})`),
  );

/** Reads the pages of the repository. */
export const readSite = (): Site => {
  const found = sources.flatMap((pattern) => globSync(pattern, { cwd: repository })).sort();
  const known = new Set(found);
  const files = new Map<string, string>();
  const pages = found.map((source): Page => {
    const text = linked(source, known, files);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? relative('docs', source);
    return { source, path: pathOf(source), title, text };
  });
  return { pages, files };
};
