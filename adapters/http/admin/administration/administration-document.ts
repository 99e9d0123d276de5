import { right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { usersTag } from '../../api/accounts/user-schema.ts';
import { defineRoute } from '../../api/route.ts';
import type { Parameter, Route, Schema } from '../../api/route-types.ts';
import type { ApiInformation, DocumentContext } from '../../openapi/openapi-document.ts';
import { staticReply } from '../../openapi/static-resource.ts';

const contextWith = (user: Schema): DocumentContext => ({
  security: 'basic',
  fetchesKeys: false,
  publicUrl: null,
  user,
  keysOption: 'admin.keys',
  earlierCodes: ({ method }) => [
    ...(['too_many_attempts', 'misdirected_request'] as const),
    ...(method === 'get' ? [] : (['cross_site'] as const)),
  ],
});

/** The request, whose headers decide about the encoding of the document and whether it is sent again. */
const wholeRequest: Parameter<KoaRequest> = {
  name: 'request',
  in: 'connection',
  required: false,
  description: 'The request.',
  schema: {},
  example: '',
  neverFails: true,
  read: right,
};

/** The route that describes the others as an OpenAPI document, in which users have the schema `user`. */
export const documentRoute = (routes: readonly Route[], information: ApiInformation, user: Schema): Route => {
  const answer = staticReply(async () => {
    const { openApiDocument } = await import('../../openapi/openapi-document.ts');
    const title = `${information.title}: administration`;
    const description = 'Users for administrators, who need no password of a user.';
    const document = openApiDocument(routes, { ...information, title, description }, contextWith(user));
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-cache' };
    return { headers, body: JSON.stringify(document, null, 2) };
  });
  return defineRoute({
    method: 'get',
    path: '/admin/openapi.json',
    operation: 'describeAdministration',
    summary: 'Read the OpenAPI document',
    description: 'Returns the OpenAPI document of the administration.',
    tag: usersTag,
    authenticated: true,
    parameters: { request: wholeRequest },
    responses: {
      200: { description: 'The document.', content: { type: 'application/json', schema: { type: 'object' } } },
    },
    refusals: [],
    handle: async ({ request }) => right(await answer(request)),
    present: (reply) => reply,
  });
};
