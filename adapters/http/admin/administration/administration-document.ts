import { right } from 'fp-ts/lib/Either.js';
import { defineRoute } from '../../api/route.ts';
import type { Route } from '../../api/route-types.ts';
import { userSchema } from '../../api/user-schema.ts';
import type { ApiInformation, DocumentContext } from '../../openapi/openapi-document.ts';
import { json } from '../../server/response.ts';
import { states } from './administered-user.ts';

const contextWith = (showsPasswordTime: boolean): DocumentContext => ({
  security: 'basic',
  fetchesKeys: false,
  publicUrl: null,
  user: userSchema(false, showsPasswordTime, states),
  keysOption: 'admin.keys',
  earlierCodes: ({ method }) => [
    ...(['too_many_attempts', 'misdirected_request'] as const),
    ...(method === 'get' ? [] : (['cross_site'] as const)),
  ],
});

/** The route that describes the others as an OpenAPI document, which is made for each request: few ask for it. */
export const documentRoute = (
  routes: readonly Route[],
  information: ApiInformation,
  showsPasswordTime: boolean,
): Route =>
  defineRoute({
    method: 'get',
    path: '/admin/openapi.json',
    operation: 'describeAdministration',
    summary: 'Read the OpenAPI document',
    description: 'Returns the OpenAPI document of the administration.',
    tag: 'Users',
    authenticated: true,
    parameters: {},
    responses: {
      200: { description: 'The document.', content: { type: 'application/json', schema: { type: 'object' } } },
    },
    refusals: [],
    handle: async () => {
      const { openApiDocument } = await import('../../openapi/openapi-document.ts');
      const title = `${information.title}: administration`;
      const description = 'Users for administrators, who need no password of a user.';
      return right(openApiDocument(routes, { ...information, title, description }, contextWith(showsPasswordTime)));
    },
    present: json(200, (document) => JSON.stringify(document, null, 2)),
  });
