import type { Page } from './pages.ts';

/** A page of a section, with what a reader does there. */
interface Entry {
  readonly text: string;
  readonly link: string;
}

interface Section {
  readonly text: string;
  readonly items: readonly Entry[];
}

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim();

/** The sections of docs/README.md: each item of its lists links to a page, and says what it is for. */
export const sectionsOf = (map: Page): readonly Section[] =>
  map.text
    .split(/^## /m)
    .slice(1)
    .map((part): Section => {
      const [heading = '', ...lines] = part.split('\n');
      const items = lines.flatMap((line): readonly Entry[] => {
        const [, link, purpose] = /^- \[[^\]]*\]\(([^)]+)\): (.*)$/.exec(line) ?? [];
        return link === undefined || purpose === undefined ? [] : [{ text: plain(purpose), link }];
      });
      return { text: plain(heading), items };
    });

/** The sidebar: the titles of the pages of each section. A page that two sections name is shown in the first one. */
export const sidebarOf = (sections: readonly Section[], pages: readonly Page[]): readonly Section[] => {
  const titles = new Map(pages.map(({ path, title }) => [`/${path}`, plain(title)]));
  const shown = new Set<string>();
  return sections.map(({ text, items }) => ({
    text: text.replace(/:.*/, ''),
    items: items.flatMap(({ link }) => {
      const title = titles.get(link);
      if (title === undefined || shown.has(link)) return [];
      shown.add(link);
      return [{ text: title, link }];
    }),
  }));
};

/** The text of llms.txt (https://llmstxt.org), with relative links: the pages as Markdown, by section. */
export const llmsTextOf = (title: string, summary: string, sections: readonly Section[]): string =>
  [
    `# ${title}`,
    `> ${summary}`,
    ...sections.map(({ text, items }) =>
      [
        `## ${text}`,
        '',
        ...items.map(({ link, text: purpose }) => `- [${link.slice(1)}](${link.slice(1)}): ${purpose}`),
      ].join('\n'),
    ),
  ].join('\n\n');
