import { expect } from 'chai';
import { administrator, configurations } from './configurations.ts';
import { type Document, describedService } from './described-service.ts';

/** The paths of the schemas below a part of a document for which generators of clients would invent a name. */
const unnamedIn = (part: unknown, path: string): readonly string[] => {
  if (typeof part !== 'object' || part === null) return [];
  const isNamed = /^\/components\/schemas\/[^/]+$/.test(path);
  const isType = 'enum' in part || ('type' in part && part.type === 'object');
  const below = Object.entries(part).filter(([key]) => !['example', 'examples', 'not'].includes(key));
  return [
    ...(isType && !isNamed ? [path] : []),
    ...below.flatMap(([key, value]) => unnamedIn(value, `${path}/${key}`)),
  ];
};

describe('the schemas of the OpenAPI documents', () => {
  for (const [name, blocks] of Object.entries(configurations))
    it(`have names, after which generators of clients name types, with ${name}`, async () => {
      const { document, serving, installation } = await describedService(blocks);
      const headers = { Authorization: `Basic ${btoa(`${administrator.application}:${administrator.secret}`)}` };
      const administration = await fetch(`${serving.adminUrl}/admin/openapi.json`, { headers });
      const documents: readonly Document[] = [document, JSON.parse(await administration.text())];
      await installation.dispose();
      for (const one of documents) {
        expect(unnamedIn(one, '')).to.deep.equal([]);
        expect(JSON.stringify(one.components.schemas)).to.not.include('"title":"');
      }
    });
});
