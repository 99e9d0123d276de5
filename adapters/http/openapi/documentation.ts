import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Route } from '../api/route-types.ts';
import { baseDirectives, html, sourceOf } from '../pages/html.ts';
import { publicPaths } from '../paths.ts';
import { send, writeBody } from '../server/response.ts';
import { type ApiInformation, type DocumentContext, openApiDocument } from './openapi-document.ts';

/** A body that does not change while the process runs, and its headers. */
export interface StaticContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

type Encoding = 'br' | 'gzip' | 'identity';

interface Representation {
  readonly entityTag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

// Higher levels of Brotli would take seconds for the script of Swagger UI.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const encode: Readonly<Record<Encoding, (body: Buffer) => Buffer | Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, brotliOptions),
  gzip: (body) => promisify(gzip)(body),
  identity: (body) => body,
};

/** Encodes content. Each encoding has its own strong entity tag (RFC 9110, section 8.8.3.3). */
const representationOf = async (content: StaticContent, encoding: Encoding): Promise<Representation> => {
  const body = await encode[encoding](Buffer.from(content.body));
  const isEncoded = encoding !== 'identity';
  return {
    entityTag: `"${createHash('sha256').update(body).digest('base64url')}"`,
    headers: { ...content.headers, ...(isEncoded && { 'Content-Encoding': encoding }) },
    body,
  };
};

const isCompressible = ({ headers }: StaticContent): boolean => !headers['Content-Type']?.startsWith('image/');

/** The encoding in which a request gets content: the smallest that it accepts. */
const encodingFor = (ctx: Context, content: StaticContent): Encoding => {
  const encodings = isCompressible(content) ? (['br', 'gzip'] as const) : [];
  return encodings.find((encoding) => ctx.acceptsEncodings(encoding) === encoding) ?? 'identity';
};

/** Whether `If-None-Match` names an entity tag, by weak comparison (RFC 9110, section 13.1.2). */
const matches = (condition: string | undefined, entityTag: string): boolean =>
  condition === '*' || (condition?.split(',').some((named) => named.trim().replace(/^W\//, '') === entityTag) ?? false);

const sendRepresentation = (ctx: Context, { entityTag, headers, body }: Representation): void => {
  ctx.respond = false;
  ctx.set(headers);
  ctx.set('ETag', entityTag);
  if (matches(ctx.req.headers['if-none-match'], entityTag)) {
    ctx.remove('Content-Type');
    ctx.remove('Content-Encoding');
    ctx.res.writeHead(304).end();
    return;
  }
  writeBody(ctx.res.writeHead(200, { 'Content-Length': body.length }), body);
};

/** Calls `make` once for all callers; again after a failure. */
const once = <Value>(make: () => Value | Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= Promise.resolve()
      .then(make)
      .catch((error: unknown) => {
        made = undefined;
        throw error;
      });
    return made;
  };
};

/**
 * Serves content that the first request renders and all requests share, compressed once for each encoding that clients
 * accept. Answers 304 when `If-None-Match` names its entity tag. When `render` fails, the next request tries again.
 */
export const staticResource = (render: () => StaticContent | Promise<StaticContent>): Middleware => {
  const content = once(render);
  const encoded = (encoding: Encoding) => once(async () => representationOf(await content(), encoding));
  const representations = { br: encoded('br'), gzip: encoded('gzip'), identity: encoded('identity') };
  return async (ctx) => {
    const unencoded = await content();
    const encoding = encodingFor(ctx, unencoded);
    // Added to the Vary of CORS, if any.
    if (isCompressible(unencoded)) ctx.vary('Accept-Encoding');
    sendRepresentation(ctx, await representations[encoding]());
  };
};

/** The files of Swagger UI with their media types. */
const assets = {
  'swagger-ui.min.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon.png': 'image/png',
} as const;

export type AssetName = keyof typeof assets;

/** The HTML page, which the build writes to the folder of the files. */
export const pageFile = 'index.html';

/** The placeholder for the configured title in the page that the build writes. */
export const titlePlaceholder = '{{title}}';

/** The folder to which the build writes the files. `imports` of package.json locates it from sources and from the bundle. */
export const swaggerFolder = (): URL => new URL('.', import.meta.resolve(`#swagger-ui/${pageFile}`));

const contentOf = (name: string): Promise<Buffer> => readFile(new URL(name, swaggerFolder()));

const inlineScripts = (html: string): readonly string[] =>
  html
    .split('<script>')
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('</script>')));

// Swagger UI sets style attributes of its own.
const contentSecurityPolicyOf = (html: string): string =>
  `default-src 'none'; script-src 'self' ${inlineScripts(html).map(sourceOf).join(' ')}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; ${baseDirectives("'none'")}`;

/** The page of Swagger UI. */
const swaggerPage = (title: string): Middleware =>
  staticResource(async () => {
    const untitled = (await contentOf(pageFile)).toString();
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': contentSecurityPolicyOf(untitled),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    };
    return { headers, body: untitled.replace(titlePlaceholder, () => html`${title}`.toString()) };
  });

/** The files of the page by their names below `/swagger/assets/`. */
const swaggerAssets = (): ReadonlyMap<string, Middleware> =>
  new Map(
    Object.entries(assets).map(([name, type]) => {
      const headers = {
        'Content-Type': type,
        'Cache-Control': 'public, max-age=3600',
        'X-Content-Type-Options': 'nosniff',
      };
      return [name, staticResource(async () => ({ headers, body: await contentOf(name) }))];
    }),
  );

/** The parts of the OpenAPI document that do not come from the routes. */
export interface Documentation extends DocumentContext {
  readonly information: ApiInformation;
}

/** The document is public, also for tools on other origins. Caches have to revalidate it. */
const headersOf = (type: string) => ({
  'Content-Type': type,
  'Cache-Control': 'no-cache',
  'Access-Control-Allow-Origin': '*',
});

/** Adds the OpenAPI document, as JSON and YAML, and Swagger UI to a router. Each is rendered by the first request. */
export const addDocumentation = (router: Router, routes: readonly Route[], documentation: Documentation): void => {
  const document = () => openApiDocument(routes, documentation.information, documentation);
  const json = staticResource(() => ({
    headers: headersOf('application/json'),
    body: JSON.stringify(document(), null, 2),
  }));
  const yaml = staticResource(async () => {
    // Loads the YAML package on first use.
    const { yamlOf } = await import('./openapi-yaml.ts');
    return { headers: headersOf('application/yaml; charset=utf-8'), body: await yamlOf(document()) };
  });
  router.get('/', (ctx) => send(ctx, { status: 302, headers: { Location: 'swagger' }, body: '' }));
  router.get('/openapi.json', json);
  router.get('/openapi.yaml', yaml);
  router.get(publicPaths.documentation, swaggerPage(documentation.information.title));
  for (const [name, asset] of swaggerAssets()) router.get(`${publicPaths.documentation}/assets/${name}`, asset);
};
