import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import { koaSwagger } from 'koa2-swagger-ui';
import {
  type AssetName,
  keyMeta,
  keyPlaceholder,
  pageFile,
  swaggerFolder,
  titlePlaceholder,
} from '../../adapters/http/openapi/documentation.ts';
import { plugin, pluginName } from './swagger-plugin.ts';
import { script, style } from './swagger-theme.ts';

// The last step of the build: prepares the files behind /swagger, so that an installation needs neither the template
// engine nor the rest of Swagger UI.

/** The files of the page and their names in swagger-ui-dist. */
const sources: Readonly<Record<AssetName, string>> = {
  'swagger-ui.min.css': 'swagger-ui.css',
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js': 'swagger-ui-standalone-preset.js',
  'favicon.png': 'favicon-32x32.png',
};

/** License and notice texts, and where they come from. */
const notices: Readonly<Record<string, string>> = {
  LICENSE: 'swagger-ui-dist/LICENSE',
  NOTICE: 'swagger-ui-dist/NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui-standalone-preset.js.LICENSE.txt': 'swagger-ui-dist/swagger-ui-standalone-preset.js.LICENSE.txt',
  'index.html.LICENSE.txt': 'koa2-swagger-ui/LICENSE',
};

const render = koaSwagger({
  title: titlePlaceholder,
  routePrefix: false,
  hideTopbar: true,
  favicon: 'swagger/assets/favicon.png',
  // The template joins these two. They are relative, so that the page works behind a path prefix.
  swaggerCdnUrl: 'swagger',
  swaggerVersion: 'assets',
  swaggerOptions: { dom_id: '#swagger-ui', url: 'openapi.json', layout: 'StandaloneLayout', validatorUrl: null },
});

/** The page as the middleware renders it. */
const rendered = async (): Promise<string> => {
  const request = new IncomingMessage(new Socket());
  const ctx = new Koa().createContext(request, new ServerResponse(request));
  await render(ctx, async () => {});
  return String(ctx.body);
};

const foreignLink = /<link[^>]+href="https?:[^>]*>/g;

/** Replacements in the page. */
const replacements = [
  [
    '<head>',
    `<head>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="${keyMeta}" content="${keyPlaceholder}">`,
  ],
  // In the head, so that the page does not flash before it turns dark.
  ['</head>', `<style>${style}</style>\n<script>${script}</script>\n</head>`],
  ['function HideTopbarPlugin() {', `${plugin}function HideTopbarPlugin() {`],
  ['options.plugins = [', `options.plugins = [${pluginName},`],
] as const;

const only = (html: string, found: string): string => {
  if (html.split(found).length !== 2) throw new Error(`the page of koa2-swagger-ui must contain ${found} exactly once`);
  return found;
};

/** The page without resources of other hosts, with the accessible theme. */
const page = (html: string): string => {
  only(html, titlePlaceholder);
  return replacements.reduce(
    (changed, [found, instead]) => changed.replace(only(changed, found), () => instead),
    html.replace(foreignLink, ''),
  );
};

const installed = (path: string): URL => new URL(import.meta.resolve(path));

/**
 * Writes the page and its files to the folder that the service serves. Resolves with the names of the packages that
 * they come from.
 */
export const writeSwaggerUi = async (): Promise<readonly string[]> => {
  const folder = swaggerFolder();
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(pageFile, folder), page(await rendered()));
  const files = Object.entries(sources).map(([name, source]) => [name, `swagger-ui-dist/${source}`] as const);
  const copies = [...files, ...Object.entries(notices)];
  for (const [name, source] of copies) await copyFile(installed(source), new URL(name, folder));
  return [...new Set(copies.map(([, source]) => source.replace(/\/.*/, '')))];
};
