import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { baseDirectives, documentOf, type Html, html, icon, nothing, pageHeaders, sourceOf } from '../../pages/html.ts';
import { isoTime, longTime, operatorStyle, shortTime } from '../../pages/operator-pages.ts';
import { adminPaths } from '../../paths.ts';
import type { ServiceMiddleware } from '../../server/http-service.ts';
import { send } from '../../server/response.ts';
import {
  bodyPolicy,
  framedBody,
  type ListedMail,
  linkTo,
  type OpenedMail,
  type Outbox,
  sandboxTokens,
  verificationLinkOf,
  withLinks,
} from './mail-content.ts';

const style = html`${operatorStyle}.double { display: grid; grid-template-columns: 340px minmax(0, 1fr); gap: 20px; align-items: start; }
nav, article, .notice { border: 1px solid var(--edge); border-radius: 16px; background: var(--card); box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 8px 28px rgb(0 0 0 / .05); }
nav { position: sticky; top: 20px; max-height: calc(100vh - 40px); overflow: auto; }
ul { margin: 0; padding: 6px; list-style: none; }
li a { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 12px; padding: 10px 12px; border-radius: 10px; color: inherit; text-decoration: none; }
li + li { margin-top: 2px; }
li a:hover { background: var(--ground); }
li a[aria-current] { background: var(--tint); }
.to { overflow: hidden; font-size: 15px; font-weight: 600; text-overflow: ellipsis; white-space: nowrap; }
.subject { grid-column: 1 / -1; overflow: hidden; color: var(--soft); font-size: 14px; text-overflow: ellipsis; white-space: nowrap; }
li time { color: var(--soft); font-size: 13px; line-height: 22px; font-variant-numeric: tabular-nums; }
article { padding: 28px 32px 32px; }
.back { display: none; }
h2 { margin: 0 0 14px; font-size: 24px; line-height: 1.25; letter-spacing: -.015em; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; margin: 0 0 22px; font-size: 15px; }
dt { color: var(--soft); }
dd { margin: 0; }
.action { display: inline-block; padding: 11px 20px; border-radius: 10px; background: var(--button); color: #fff; font-size: 15px; font-weight: 600; text-decoration: none; }
.action:hover { filter: brightness(1.08); }
section { margin-top: 26px; }
h3 { margin: 0 0 8px; color: var(--soft); font-size: 14px; font-weight: 600; }
iframe { display: block; width: 100%; height: 33.5rem; border: 1px solid var(--edge); border-radius: 12px; }
.text { padding: 18px 20px; border: 1px solid var(--edge); border-radius: 12px; background: var(--ground); font: 14px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; white-space: pre-wrap; }
.notice { padding: 56px 32px; text-align: center; }
.notice p { margin: 0 0 8px; color: var(--soft); }
code { color: var(--ink); font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
@media (max-width: 800px) {
  header, main { padding-right: 16px; padding-left: 16px; }
  header p { display: none; }
  .double { display: block; }
  nav { position: static; max-height: none; }
  .overview li a[aria-current]:not(:hover) { background: none; }
  .overview article, .chosen nav { display: none; }
  article { padding: 20px 18px 22px; }
  .back { display: inline-block; margin-bottom: 14px; font-size: 15px; }
  iframe { height: 41rem; }
}
`;

export interface OutboxView {
  readonly mails: readonly ListedMail[];
  readonly opened?: OpenedMail | undefined;
  /** A message instead of a mail. */
  readonly notice?: string | undefined;
  /** Whether the mail was selected: a small screen then shows it instead of the list. */
  readonly isChosen?: boolean;
}

const subjectOf = ({ subject }: ListedMail): string => (subject === '' ? '(no subject)' : subject);

const pathOf = ({ id }: ListedMail): string => `/outbox/${encodeURIComponent(id)}`;

const timeTag = (time: Date | undefined, show: (time: Date) => string): Html =>
  time === undefined ? nothing : html`<time datetime="${isoTime(time)}">${show(time)}</time>`;

const listItem = (mail: ListedMail, opened: OpenedMail | undefined): Html => {
  const current = mail.id === opened?.id ? html` aria-current="page"` : nothing;
  return html`<li><a href="${pathOf(mail)}"${current}>
<span class="to">${mail.to}</span> ${timeTag(mail.time, shortTime)}
<span class="subject">${subjectOf(mail)}</span></a></li>`;
};

const list = ({ mails, opened }: OutboxView): Html =>
  html`<nav aria-label="Mails"><ul>${mails.map((mail) => html`\n${listItem(mail, opened)}`)}\n</ul></nav>`;

const row = (name: string, value: string | Html): Html =>
  value === '' || value === nothing ? nothing : html`<dt>${name}</dt><dd>${value}</dd>`;

const frame = (mail: OpenedMail): Html =>
  mail.html === ''
    ? nothing
    : html`<section aria-labelledby="html"><h3 id="html">HTML</h3>
<iframe src="${pathOf(mail)}/body" title="The mail as HTML" sandbox="${sandboxTokens}" referrerpolicy="no-referrer"></iframe></section>`;

const text = (mail: OpenedMail): Html =>
  mail.text === ''
    ? nothing
    : html`<section aria-labelledby="text"><h3 id="text">Text</h3>\n<div class="text">${withLinks(mail.text.trim())}</div></section>`;

const article = (mail: OpenedMail): Html => {
  const link = verificationLinkOf(mail);
  return html`<article aria-labelledby="subject">
<a class="back" href="/outbox">All mails</a>
<h2 id="subject">${subjectOf(mail)}</h2>
<dl>${row('To', mail.to)}${row('From', mail.from)}${row('Written', timeTag(mail.time, longTime))}</dl>
${link === undefined ? nothing : linkTo(link, 'Open the verification link', html` class="action"`)}
${frame(mail)}
${text(mail)}
</article>`;
};

const notice = (heading: string, sentence: string | Html): Html =>
  html`<div class="notice"><h2>${heading}</h2><p>${sentence}</p><p><a href="/outbox">Look again</a></p></div>`;

const empty = notice('No mails yet', html`A mail appears here after <code>POST /verify?email=…</code> for a user.`);

const contentOf = (view: OutboxView): Html => {
  const { mails, opened } = view;
  if (opened !== undefined) return html`${list(view)}${article(opened)}`;
  if (view.notice === undefined) return empty;
  return html`${mails.length === 0 ? nothing : list(view)}${notice('Nothing to show', view.notice)}`;
};

/** The page of the outbox. It needs no scripts; the HTML of a mail is in a frame. */
export const outboxPage = (view: OutboxView): string => {
  const title = view.opened === undefined ? 'Outbox' : `${subjectOf(view.opened)} · Outbox`;
  const kinds = [view.mails.length === 0 ? 'single' : 'double', view.isChosen ? 'chosen' : 'overview'];
  const body = html`<header>
<img src="${icon}" width="36" height="36" alt="">
<div><h1>Outbox</h1><p>Mails that were kept instead of sent</p></div>
<a href="/outbox">Look for new mails</a>
</header>
<main class="${kinds.join(' ')}">
${contentOf(view)}
</main>`;
  return documentOf(title, style, body);
};

/** The Content-Security-Policy of the page: its own style and icon, and the frame of a mail. */
export const outboxPolicy = `default-src 'none'; style-src ${sourceOf(style)}; img-src data:; frame-src 'self'; ${baseDirectives("'none'")}`;

const sendPage = (ctx: Context, status: number, body: string): void =>
  send(ctx, { status, headers: pageHeaders(outboxPolicy), body });

/** Answers errors of the file system with a page for the developer. */
const catchErrors: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    sendPage(ctx, 503, outboxPage({ mails: [], notice: `The folder of the mails cannot be read${code}.` }));
  }
};

/**
 * Serves the mails of an outbox: `/outbox` lists them and opens the newest, `/outbox/ID` opens another one,
 * `/outbox/ID/body` is the HTML of a mail for the frame of the page. Other paths are left to the next middleware.
 */
export const outboxPages = (outbox: Outbox): ServiceMiddleware => {
  const router = new Router({ prefix: adminPaths.outbox });
  router.use(catchErrors);
  router.get('/', async (ctx) => {
    const mails = await outbox.list();
    const [newest] = mails;
    const opened = newest && (await outbox.find(newest.id));
    sendPage(ctx, 200, outboxPage({ mails, opened }));
  });
  router.get('/:id', async (ctx) => {
    const [mails, opened] = await Promise.all([outbox.list(), outbox.find(ctx.params.id ?? '')]);
    const notice = opened === undefined ? 'This mail is no longer in the folder.' : undefined;
    sendPage(ctx, opened === undefined ? 404 : 200, outboxPage({ mails, opened, notice, isChosen: true }));
  });
  router.get('/:id/body', async (ctx, next) => {
    const mail = await outbox.find(ctx.params.id ?? '');
    if (mail === undefined || mail.html === '') return next();
    send(ctx, { status: 200, headers: pageHeaders(bodyPolicy), body: framedBody(mail.html) });
  });
  return router.routes();
};
