import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import escapeHtml from 'escape-html';
import type { Context, Middleware, Next } from 'koa';
import { send } from '../reply.ts';

/** The files that the page loads, by their names, and their media types. */
const assets = {
  'swagger-ui.min.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon.png': 'image/png',
} as const;

/** The name of a file that the page loads. */
export type AssetName = keyof typeof assets;

const isAsset = (name: string): name is AssetName => Object.hasOwn(assets, name);

/** The page itself, as the build leaves it beside its files. */
export const pageFile = 'index.html';

/** Stands in the page where the title of the configuration belongs. */
export const titleMark = '{{title}}';

/** Where the build leaves the page and its files: `imports` of package.json tells, for sources and compiled files alike. */
export const folderOfPage = (): URL => new URL('.', import.meta.resolve(`#swagger-ui/${pageFile}`));

const contentOf = (name: AssetName | typeof pageFile): Promise<Buffer> => readFile(new URL(name, folderOfPage()));

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

/** The interactive documentation page under a title; it is read when it is first asked for. */
export const swaggerPage = (title: string): Middleware => {
  let page: { readonly html: string; readonly policy: string } | undefined;
  return async (ctx) => {
    if (page === undefined) {
      const untitled = (await contentOf(pageFile)).toString();
      page = { html: untitled.replace(titleMark, () => escapeHtml(title)), policy: policyOf(untitled) };
    }
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': page.policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    };
    send(ctx, { status: 200, headers, body: page.html });
  };
};

/** Serves a file of the page, by the name behind `/swagger/assets/`; leaves any other to what comes next. */
export const swaggerAsset = async (ctx: Context, name: string, next: Next): Promise<void> => {
  if (!isAsset(name)) return next();
  const headers = {
    'Content-Type': assets[name],
    'Cache-Control': 'public, max-age=3600',
    'X-Content-Type-Options': 'nosniff',
  };
  send(ctx, { status: 200, headers, body: await contentOf(name) });
};
