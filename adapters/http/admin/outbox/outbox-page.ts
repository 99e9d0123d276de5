import { type Html, html, nothing } from '../../pages/html.ts';
import { closed, documentOf, icon, styleSource } from '../../pages/layout.ts';
import { linkTo, verificationLinkOf, withLinks } from './links.ts';
import { frameRights } from './mail-body.ts';
import type { ListedMail, OpenedMail } from './outbox.ts';
import { style } from './outbox-style.ts';
import { machineTime, momentOf, shortTime } from './times.ts';

/** What the page shows. */
export interface OutboxView {
  readonly mails: readonly ListedMail[];
  readonly opened?: OpenedMail | undefined;
  /** Something to say instead of a mail. */
  readonly notice?: string | undefined;
  /** Whether somebody asked for this mail: a small screen then shows it instead of the list. */
  readonly isChosen?: boolean;
}

const subjectOf = ({ subject }: ListedMail): string => (subject === '' ? '(no subject)' : subject);

const pathOf = ({ id }: ListedMail): string => `/outbox/${encodeURIComponent(id)}`;

const timeTag = (time: Date | undefined, show: (time: Date) => string): Html =>
  time === undefined ? nothing : html`<time datetime="${machineTime(time)}">${show(time)}</time>`;

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
<iframe src="${pathOf(mail)}/body" title="The mail as HTML" sandbox="${frameRights}" referrerpolicy="no-referrer"></iframe></section>`;

const text = (mail: OpenedMail): Html =>
  mail.text === ''
    ? nothing
    : html`<section aria-labelledby="text"><h3 id="text">Text</h3>\n<div class="text">${withLinks(mail.text.trim())}</div></section>`;

const article = (mail: OpenedMail): Html => {
  const link = verificationLinkOf(mail);
  return html`<article aria-labelledby="subject">
<a class="back" href="/outbox">All mails</a>
<h2 id="subject">${subjectOf(mail)}</h2>
<dl>${row('To', mail.to)}${row('From', mail.from)}${row('Written', timeTag(mail.time, momentOf))}</dl>
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

/** The page of the outbox: complete in itself but for the HTML of a mail, which has a frame; without script. */
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
export const outboxPolicy = `default-src 'none'; style-src ${styleSource(style)}; img-src data:; frame-src 'self'; ${closed}`;
