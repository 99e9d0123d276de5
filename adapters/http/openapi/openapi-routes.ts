import type Router from '@koa/router';
import type { Route } from '../api/route.ts';
import { send } from '../server/response.ts';
import { staticResource } from '../server/static-resource.ts';
import { type ApiInformation, openApiDocument, type Surroundings } from './openapi-document.ts';
import { swaggerAssets, swaggerPage } from './swagger-ui.ts';

/** The documentation of the service, and what surrounds its routes in it. */
export interface Documentation extends Surroundings {
  readonly information: ApiInformation;
}

/** The description is public, and tools on other origins read it. It may be kept, and has to be asked for each time. */
const headersOf = (type: string) => ({
  'Content-Type': type,
  'Cache-Control': 'no-cache',
  'Access-Control-Allow-Origin': '*',
});

/** Adds the OpenAPI document, as JSON and YAML, and Swagger UI to a router; each is made when first asked for. */
export const addDocumentation = (router: Router, routes: readonly Route[], documentation: Documentation): void => {
  const described = () => openApiDocument(routes, documentation.information, documentation);
  const json = staticResource(() => ({
    headers: headersOf('application/json'),
    body: JSON.stringify(described(), null, 2),
  }));
  const yaml = staticResource(async () => {
    // A service that was configured without a file has no use for it before.
    const { yamlOf } = await import('./yaml.ts');
    return { headers: headersOf('application/yaml; charset=utf-8'), body: await yamlOf(described()) };
  });
  router.get('/', (ctx) => send(ctx, { status: 302, headers: { Location: 'swagger' }, body: '' }));
  router.get('/openapi.json', json);
  router.get('/openapi.yaml', yaml);
  router.get('/swagger', swaggerPage(documentation.information.title));
  for (const [name, asset] of swaggerAssets()) router.get(`/swagger/assets/${name}`, asset);
};
