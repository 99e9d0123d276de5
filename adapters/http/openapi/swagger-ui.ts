import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Middleware, Next } from 'koa';

/** The files of the page, by the names that its template asks for, and where they stand in swagger-ui-dist. */
const assets: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  'swagger-ui.min.css': { file: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': { file: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  'swagger-ui-standalone-preset.js': {
    file: 'swagger-ui-standalone-preset.js',
    type: 'text/javascript; charset=utf-8',
  },
  'favicon.png': { file: 'favicon-32x32.png', type: 'image/png' },
};

const inlineScript = /<script>([\s\S]*?)<\/script>/g;
const foreignLink = /<link[^>]+href="https?:[^>]*>/g;

/** The template without what it would load from another host, and the policy under which just the rest runs. */
const closed = (html: string): { readonly html: string; readonly policy: string } => {
  const own = html
    .replace(foreignLink, '')
    .replace('<head>', '<head>\n  <meta name="viewport" content="width=device-width, initial-scale=1">');
  const hashes = [...own.matchAll(inlineScript)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return {
    html: own,
    // Swagger UI sets style attributes of its own.
    policy: `default-src 'none'; script-src 'self' ${hashes.join(' ')}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
};

const page = async (title: string): Promise<Middleware> => {
  // Loaded by the first reader of the page: the service itself needs none of it.
  const { koaSwagger } = await import('koa2-swagger-ui');
  const render = koaSwagger({
    title,
    routePrefix: false,
    hideTopbar: true,
    favicon: 'swagger/assets/favicon.png',
    // The template joins these two: relative, so that the page works behind a path prefix too.
    swaggerCdnUrl: 'swagger',
    swaggerVersion: 'assets',
    swaggerOptions: { dom_id: '#swagger-ui', url: 'openapi.json', layout: 'StandaloneLayout', validatorUrl: null },
  });
  return async (ctx, next) => {
    await render(ctx, next);
    const { html, policy } = closed(String(ctx.body));
    ctx.set({
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    ctx.body = html;
  };
};

/** The interactive documentation page, made when it is first asked for. */
export const swaggerPage = (title: string): Middleware => {
  let made: Promise<Middleware> | undefined;
  return async (ctx, next) => {
    made ??= page(title);
    await (await made)(ctx, next);
  };
};

/** Serves a file of the page, by the name behind `/swagger/assets/`; leaves any other to what comes next. */
export const swaggerAsset = async (ctx: Context, name: string, next: Next): Promise<void> => {
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (asset === undefined) return next();
  const folder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  ctx.body = await readFile(join(folder, asset.file));
  ctx.set({ 'Content-Type': asset.type, 'Cache-Control': 'public, max-age=3600', 'X-Content-Type-Options': 'nosniff' });
};
