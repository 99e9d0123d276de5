import type Router from '@koa/router';
import type { Context } from 'koa';
import { send } from '../reply.ts';
import type { Route, Schema } from '../route.ts';
import { type ApiInformation, openApiDocument, type Surroundings } from './document.ts';
import { swaggerAsset, swaggerPage } from './swagger-ui.ts';

/** The documentation of the service, and what surrounds its routes in it. */
export interface Documentation extends Surroundings {
  readonly information: ApiInformation;
}

/** Adds the OpenAPI document, as JSON and YAML, and Swagger UI to a router; the document is written when first asked for. */
export const addDocumentation = (router: Router, routes: readonly Route[], documentation: Documentation): void => {
  let document: Schema | undefined;
  const described = (): Schema => {
    document ??= openApiDocument(routes, documentation.information, documentation);
    return document;
  };
  const answer = (ctx: Context, type: string, body: string): void => {
    // The description is public; tools on other origins read it.
    send(ctx, { status: 200, headers: { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' }, body });
  };
  router.get('/', (ctx) => send(ctx, { status: 302, headers: { Location: 'swagger' }, body: '' }));
  router.get('/openapi.json', (ctx) => answer(ctx, 'application/json', JSON.stringify(described(), null, 2)));
  router.get('/openapi.yaml', async (ctx) => {
    // A service that was configured without a file has no use for it before.
    const { yamlOf } = await import('./yaml.ts');
    answer(ctx, 'application/yaml; charset=utf-8', yamlOf(described()));
  });
  router.get('/swagger', swaggerPage(documentation.information.title));
  router.get('/swagger/assets/:name', (ctx, next) => swaggerAsset(ctx, ctx.params.name ?? '', next));
};
