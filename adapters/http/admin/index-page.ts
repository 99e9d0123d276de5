import type { Context } from 'koa';
import { baseDirectives, html, pageHeaders, sourceOf } from '../pages/html.ts';
import { type AdminSite, operatorDocument, operatorStyle } from '../pages/operator-pages.ts';
import { send } from '../server/response.ts';

const style = html`${operatorStyle}.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(290px, 1fr)); gap: 16px; margin: 0; padding: 0; list-style: none; }
.tiles a { display: block; height: 100%; padding: 18px 22px 20px; color: var(--soft); text-decoration: none; }
.tiles a:hover { border-color: var(--accent); }
.tiles strong { display: block; margin: 0 0 4px; color: var(--ink); font-size: 17px; }
`;

const policy = `default-src 'none'; style-src ${sourceOf(style)}; img-src data:; ${baseDirectives("'none'")}`;

/** Answers with the index of the admin port. */
export const sendIndex = (ctx: Context, site: AdminSite): void => {
  const tiles = site.sections.map(
    ({ name, path, sentence }) =>
      html`\n<li><a class="card" href="${path}"><strong>${name}</strong>${sentence}</a></li>`,
  );
  const content = html`<div class="title"><h1>Operations</h1></div>
<ul class="tiles">${tiles}
</ul>`;
  const body = operatorDocument(site, { title: 'Operations', css: style, content });
  send(ctx, { status: 200, headers: pageHeaders(policy), body });
};
