/** The generated parts of a document by name. */
export type Regions = ReadonlyMap<string, string>;

const region = /(<!-- npm run docs: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The names of the regions of a document. */
export const regionsIn = (document: string): readonly string[] =>
  [...document.matchAll(region)].map(([, , name = '']) => name);

/** A document with new content in every region. Throws if a region is unknown, missing or repeated. */
export const withRegions = (document: string, regions: Regions): string => {
  const found = regionsIn(document);
  const invalid = [
    ...found.filter((name) => !regions.has(name)),
    ...[...regions.keys()].filter((name) => found.filter((other) => other === name).length !== 1),
  ];
  if (invalid.length > 0) throw new Error(`unknown, missing or repeated regions: ${[...new Set(invalid)].join(', ')}`);
  return document.replace(
    region,
    (_, start: string, name: string, end: string) => `${start}\n${regions.get(name)}\n\n${end}`,
  );
};
