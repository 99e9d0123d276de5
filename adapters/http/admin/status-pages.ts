import { type HealthReport, isHealthy } from '../../../application/health.ts';
import type { Client } from '../authentication/authenticator.ts';
import { baseDirectives, type Html, html, nothing, pageHeaders, sourceOf } from '../pages/html.ts';
import {
  type AdminSite,
  type OperatorPage,
  operatorDocument,
  operatorStyle,
  sectionsFor,
} from '../pages/operator-pages.ts';
import { adminPaths } from '../paths.ts';
import type { Reply } from '../server/response.ts';

const style = html`${operatorStyle}.health { margin: 0 0 20px; padding: 18px 22px 20px; }
.health h2 { margin: 0 0 10px; font-size: 17px; }
.health dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 24px; margin: 0; font-size: 15px; }
.health dt { color: var(--soft); }
.health dd { margin: 0; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(290px, 1fr)); gap: 16px; margin: 0; padding: 0; list-style: none; }
.tiles a { display: block; height: 100%; padding: 18px 22px 20px; color: var(--soft); text-decoration: none; }
.tiles a:hover { border-color: var(--accent); }
.tiles strong { display: block; margin: 0 0 4px; color: var(--ink); font-size: 17px; }
.tiles b { display: block; margin: 8px 0 0; color: var(--ink); }
pre { margin: 0; padding: 18px 22px; overflow: auto; font: 13px/1.6 var(--mono); }
@media (max-width: 640px) {
  .health dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .health dd { margin: 0 0 10px; }
}
`;

/** The form that signs out is sent to this service. */
const policy = `default-src 'none'; style-src ${sourceOf(style)}; img-src data:; ${baseDirectives("'self'")}`;

/** What the index says about sections, by their paths, such as how many users there are. */
export type Figures = ReadonlyMap<string, string>;

const components = (report: HealthReport): Html =>
  html`<dl>${[...report].map(
    ([name, { healthy, message }]) =>
      html`<dt>${name}</dt><dd${healthy ? nothing : html` class="bad"`}>${healthy ? nothing : 'Fails: '}${message}</dd>`,
  )}</dl>`;

const healthCard = (report: HealthReport): Html => {
  const verdict = isHealthy(report)
    ? html`<h2 class="good">The service is healthy</h2>`
    : html`<h2 class="bad">The service is not healthy</h2>`;
  return html`<section class="card health" aria-label="Health">${verdict}${components(report)}</section>`;
};

/** Replies with pages; `client` is the administrator who is signed in. */
const replyWith = (site: AdminSite, status: number, page: Omit<OperatorPage, 'css'>, client?: Client): Reply => ({
  status,
  // With `no-referrer`, browsers would send the form that signs out with `Origin: null`.
  headers: { ...pageHeaders(policy), 'Referrer-Policy': 'same-origin' },
  body: operatorDocument(site, { ...page, css: style }, client),
});

/** The index of the admin port: how the service is, and all pages. */
export const indexReply = (site: AdminSite, report: HealthReport, figures?: Figures, client?: Client): Reply => {
  const tiles = sectionsFor(site.sections, client).map(({ name, path, sentence, entry = path }) => {
    const figure = figures?.get(path);
    return html`\n<li><a class="card" href="${entry}"><strong>${name}</strong>${sentence}${figure === undefined ? nothing : html`<b>${figure}</b>`}</a></li>`;
  });
  const content = html`<div class="title"><h1>Operations</h1></div>
${healthCard(report)}
<ul class="tiles">${tiles}
</ul>`;
  return replyWith(site, 200, { title: 'Operations', content }, client);
};

/** The health for a person; `status` is that of the answer to programs. */
export const healthReply = (site: AdminSite, status: number, report: HealthReport): Reply =>
  replyWith(site, status, {
    title: 'Health',
    section: adminPaths.health,
    content: html`<div class="title"><h1>Health</h1></div>\n${healthCard(report)}`,
  });

/** The metrics for a person, as Prometheus gets them. */
export const metricsReply = (site: AdminSite, text: string): Reply =>
  replyWith(site, 200, {
    title: 'Metrics',
    section: adminPaths.metrics,
    content: html`<div class="title"><h1>Metrics</h1></div>\n<pre class="card" tabindex="0" aria-label="Metrics as text">${text}</pre>`,
  });
