import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Middleware } from 'koa';
import { html } from '../pages/html.ts';
import { staticResource } from '../server/static-resource.ts';

/** The files that the page loads, by their names, and their media types. */
const assets = {
  'swagger-ui.min.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon.png': 'image/png',
} as const;

/** The name of a file that the page loads. */
export type AssetName = keyof typeof assets;

/** The page itself, as the build leaves it beside its files. */
export const pageFile = 'index.html';

/** Stands in the page where the title of the configuration belongs. */
export const titleMark = '{{title}}';

/** Where the build leaves the page and its files: `imports` of package.json tells, for sources and compiled files alike. */
export const folderOfPage = (): URL => new URL('.', import.meta.resolve(`#swagger-ui/${pageFile}`));

const contentOf = (name: string): Promise<Buffer> => readFile(new URL(name, folderOfPage()));

const inlineScripts = (html: string): readonly string[] =>
  html
    .split('<script>')
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('</script>')));

/** The policy under which the page runs, and nothing else. */
const policyOf = (html: string): string => {
  const hashes = inlineScripts(html).map(
    (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  // Swagger UI sets style attributes of its own.
  return `default-src 'none'; script-src 'self' ${hashes.join(' ')}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};

/** The interactive documentation page under a title. */
export const swaggerPage = (title: string): Middleware =>
  staticResource(async () => {
    const untitled = (await contentOf(pageFile)).toString();
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policyOf(untitled),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    };
    return { headers, body: untitled.replace(titleMark, () => html`${title}`.toString()) };
  });

/** The files of the page, by their names behind `/swagger/assets/`. */
export const swaggerAssets = (): ReadonlyMap<string, Middleware> =>
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
