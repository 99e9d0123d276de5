import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { stringify } from 'yaml';
import { defineResource } from '../api/route.ts';
import type { Route, Schema } from '../api/route-types.ts';
import { baseDirectives, html, sourceOf } from '../pages/html.ts';
import { publicPaths } from '../paths.ts';
import { isSchema } from './named-schemas.ts';
import { type ApiInformation, type DocumentContext, openApiDocument } from './openapi-document.ts';
import { type StaticReply, staticReply } from './static-resource.ts';

// Many tools cannot read aliases.
const options = { aliasDuplicateObjects: false };

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n');

/**
 * Writes a mapping as YAML entry by entry, with its nested mappings down to a depth. Yields to the event loop between
 * entries, because writing a whole OpenAPI document at once would delay other requests by 100 ms.
 */
const write = async (mapping: Schema, depth: number): Promise<string> => {
  let text = '';
  for (const [key, value] of Object.entries(mapping)) {
    if (depth > 0 && isSchema(value) && Object.keys(value).length > 0) {
      text += `${stringify(key).trimEnd()}:\n${indented(await write(value, depth - 1))}`;
    } else if (value !== undefined) {
      await setImmediate();
      text += stringify({ [key]: value }, options);
    }
  }
  return text;
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

/** The name of the meta element with the key for development, and the placeholder of its content. */
export const keyMeta = 'development-key';
export const keyPlaceholder = '{{development-key}}';

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
const swaggerPage = ({ information: { title }, developmentKey }: Documentation): StaticReply =>
  staticReply(async () => {
    const untitled = (await contentOf(pageFile)).toString();
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': contentSecurityPolicyOf(untitled),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    };
    const body = untitled
      .replace(titlePlaceholder, () => html`${title}`.toString())
      .replace(keyPlaceholder, () => html`${developmentKey ?? ''}`.toString());
    return { headers, body };
  });

/** The files of the page below `/swagger/assets/`. */
const swaggerAssets = (): readonly Route[] =>
  Object.entries(assets).map(([name, type]) => {
    const headers = {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
    };
    const answer = staticReply(async () => ({ headers, body: await contentOf(name) }));
    return defineResource(`${publicPaths.documentation}/assets/${name}`, answer);
  });

/** The parts of the OpenAPI document that do not come from the routes. */
interface Documentation extends DocumentContext {
  readonly information: ApiInformation;
  /** A key with a public secret as `application:secret`, which the page enters; null if there is none. */
  readonly developmentKey: string | null;
}

/** The document is public, also for tools on other origins. Caches have to revalidate it. */
const headersOf = (type: string) => ({
  'Content-Type': type,
  'Cache-Control': 'no-cache',
  'Access-Control-Allow-Origin': '*',
});

/** The OpenAPI document of routes, as JSON and YAML, and Swagger UI. Each is rendered by the first request. */
export const documentationRoutes = (documentation: Documentation, routes: readonly Route[]): readonly Route[] => {
  const document = () => openApiDocument(routes, documentation.information, documentation);
  const json = staticReply(() => ({
    headers: headersOf('application/json'),
    body: JSON.stringify(document(), null, 2),
  }));
  const yaml = staticReply(async () => ({
    headers: headersOf('application/yaml; charset=utf-8'),
    body: await write(document(), 2),
  }));
  return [
    defineResource('/openapi.json', json),
    defineResource('/openapi.yaml', yaml),
    defineResource(publicPaths.documentation, swaggerPage(documentation)),
    ...swaggerAssets(),
  ];
};
