// The configuration of VitePress. main.ts copies it next to the pages, with what it knows about them in site.json.
import { readFileSync } from 'node:fs';

const { base, title, description, sidebar } = JSON.parse(readFileSync(new URL('site.json', import.meta.url), 'utf8'));

/** The anchors of GitHub, for which the links are written and tested. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

export default {
  base,
  title,
  description,
  lang: 'en',
  markdown: { anchor: { slugify }, theme: { light: 'github-light', dark: 'github-dark' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: sidebar.map(({ text, items }) => ({ text, items })),
    sidebar,
    docFooter: { prev: false, next: false },
  },
};
