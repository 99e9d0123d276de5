/** The parts of a document that are made, by their names. */
export type Regions = ReadonlyMap<string, string>;

const region = /(<!-- npm run docs: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The names of the regions of a document. */
export const regionsIn = (document: string): readonly string[] =>
  [...document.matchAll(region)].map(([, , name = '']) => name);

/**
 * A document with every region made anew; what stands around them is written by hand. Throws when a region is unknown,
 * missing or there twice.
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
