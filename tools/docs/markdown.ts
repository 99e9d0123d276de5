/** The generated regions of a document, by name. */
export type Regions = ReadonlyMap<string, string>;

const region = /(<!-- npm run docs: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The names of the regions in a document. */
const regionsIn = (document: string): readonly string[] =>
  [...document.matchAll(region)].map(([, , name = '']) => name);

/**
 * Replaces the generated regions of a document; the text around them stays. Throws when a region is unknown, missing or
 * repeated.
 */
export const withRegions = (document: string, regions: Regions): string => {
  const found = regionsIn(document);
  const wrong = [
    ...found.filter((name) => !regions.has(name)),
    ...[...regions.keys()].filter((name) => found.filter((other) => other === name).length !== 1),
  ];
  if (wrong.length > 0) throw new Error(`unknown, missing or repeated regions: ${[...new Set(wrong)].join(', ')}`);
  return document.replace(
    region,
    (_, start: string, name: string, end: string) => `${start}\n${regions.get(name)}\n\n${end}`,
  );
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

/** A Markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');

/** Inline code in Markdown. */
export const code = (text: string): string => `\`${text}\``;
