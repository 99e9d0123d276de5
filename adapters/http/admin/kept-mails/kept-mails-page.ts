import { baseDirectives, type Html, html, nothing, sourceOf } from '../../pages/html.ts';
import { longTag, type OperatorPage, operatorStyle, relativeTag } from '../../pages/operator-pages.ts';
import { adminPaths } from '../../paths.ts';
import { type ListedMail, linkTo, type OpenedMail, sandboxTokens, withLinks } from './mail-content.ts';

const style = html`${operatorStyle}.double { display: grid; grid-template-columns: 330px minmax(0, 1fr); gap: 20px; align-items: start; }
.mails { position: sticky; top: 20px; max-height: calc(100vh - 40px); overflow: auto; }
ul { margin: 0; padding: 6px; list-style: none; }
li a { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 12px; padding: 10px 12px; border-radius: 9px; color: inherit; text-decoration: none; }
li + li { margin-top: 2px; }
li a:hover { background: var(--ground); }
li a[aria-current] { background: var(--tint); }
.to { overflow: hidden; font-size: 15px; font-weight: 600; text-overflow: ellipsis; white-space: nowrap; }
.subject { grid-column: 1 / -1; overflow: hidden; color: var(--soft); font-size: 14px; text-overflow: ellipsis; white-space: nowrap; }
li time { color: var(--soft); font-size: 13px; line-height: 22px; }
article { padding: 26px 30px 30px; }
.back { display: none; }
h2 { margin: 0 0 14px; font-size: 22px; line-height: 1.3; letter-spacing: -.012em; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 18px; margin: 0 0 20px; font-size: 15px; }
dt, dd small { color: var(--soft); font-size: inherit; }
dd { margin: 0; overflow-wrap: anywhere; }
.links { display: flex; flex-wrap: wrap; gap: 10px; margin: 0 0 24px; }
.tabs { border: 0; margin: 0; padding: 0; }
.tabs legend, .tabs input { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.tabs label { display: inline-block; padding: 8px 14px 9px; border-bottom: 2px solid transparent; color: var(--soft); font-size: 15px; font-weight: 600; cursor: pointer; }
.tabs label:hover { color: var(--ink); }
.tabs input:checked + label { border-color: var(--accent); color: var(--accent); }
.tabs input:focus-visible + label { outline: 3px solid var(--accent); outline-offset: -3px; border-radius: 6px; }
.panel { display: none; border-top: 1px solid var(--edge); margin-top: -1px; padding-top: 16px; }
#as-html:checked ~ .panel.html, #as-text:checked ~ .panel.text { display: block; }
iframe { display: block; width: 100%; height: 36rem; border: 1px solid var(--edge); border-radius: 10px; background: var(--ground); }
.plain { padding: 18px 20px; border: 1px solid var(--edge); border-radius: 10px; background: var(--ground); font: 14px/1.6 var(--mono); white-space: pre-wrap; }
.plain a { overflow-wrap: anywhere; }
@media (max-width: 800px) {
  .double { display: block; }
  .mails { position: static; max-height: none; }
  .overview li a[aria-current]:not(:hover) { background: none; }
  .overview article, .chosen .mails { display: none; }
  article { padding: 18px 18px 20px; }
  .back { display: inline-block; margin-bottom: 14px; font-size: 15px; }
  .links > * { flex: 1 1 100%; justify-content: center; }
  iframe { height: 41rem; }
}
`;

// Browsers offer the clipboard only on https and on this computer, so the button appears only there.
const script = html`for (const button of document.querySelectorAll('button[data-link]')) {
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.link);
    button.textContent = 'Link copied';
    setTimeout(() => { button.textContent = 'Copy the link'; }, 2000);
  });
}`;

export interface KeptMailsView {
  readonly mails: readonly ListedMail[];
  readonly opened?: OpenedMail | undefined;
  /** A message instead of a mail. */
  readonly notice?: string | undefined;
  /** Whether the mail was selected: a small screen then shows it instead of the list. */
  readonly isChosen?: boolean;
}

const subjectOf = ({ subject }: ListedMail): string => (subject === '' ? '(no subject)' : subject);

const pathOf = ({ id }: ListedMail): string => `${adminPaths.keptMails}/${encodeURIComponent(id)}`;

const listItem = (mail: ListedMail, opened: OpenedMail | undefined, now: number): Html => {
  const current = mail.id === opened?.id ? html` aria-current="page"` : nothing;
  return html`<li><a href="${pathOf(mail)}"${current}>
<span class="to">${mail.to}</span> ${mail.time === undefined ? nothing : relativeTag(mail.time.getTime(), now)}
<span class="subject">${subjectOf(mail)}</span></a></li>`;
};

const list = ({ mails, opened }: KeptMailsView, now: number): Html =>
  html`<nav class="card mails" aria-label="Mails"><ul>${mails.map((mail) => html`\n${listItem(mail, opened, now)}`)}\n</ul></nav>`;

const row = (name: string, value: string | Html): Html =>
  value === '' ? nothing : html`<dt>${name}</dt><dd>${value}</dd>`;

const tab = (id: string, label: string, isChosen: boolean): Html =>
  html`<input type="radio" name="body" id="${id}"${isChosen ? html` checked` : nothing}><label for="${id}">${label}</label>`;

/** The bodies of a mail, of which the browser shows the chosen one. */
const bodies = (mail: OpenedMail): Html => {
  const hasHtml = mail.html !== '';
  const hasText = mail.text !== '';
  const tabs = html`${hasHtml ? tab('as-html', 'HTML', true) : nothing}${hasText ? tab('as-text', 'Text', !hasHtml) : nothing}`;
  const frame = html`\n<div class="panel html"><iframe src="${pathOf(mail)}/body" title="The mail as HTML" sandbox="${sandboxTokens}" referrerpolicy="no-referrer"></iframe></div>`;
  const text = html`\n<div class="panel text"><div class="plain">${withLinks(mail.text.trim())}</div></div>`;
  return html`<fieldset class="tabs"><legend>Body</legend>\n${tabs}${hasHtml ? frame : nothing}${hasText ? text : nothing}\n</fieldset>`;
};

const links = (link: string | undefined): Html =>
  link === undefined
    ? nothing
    : html`<div class="links">${linkTo(link, 'Open the link', html` class="action"`)}<button class="quiet" type="button" data-link="${link}" hidden>Copy the link</button></div>\n`;

const article = (mail: OpenedMail, now: number): Html => html`<article class="card" aria-labelledby="subject">
<a class="back" href="${adminPaths.keptMails}">All mails</a>
<h2 id="subject">${subjectOf(mail)}</h2>
<dl>${row('From', mail.from)}${row('To', mail.to)}${row('Written', mail.time === undefined ? '' : longTag(mail.time.getTime(), now))}</dl>
${links(mail.link)}${bodies(mail)}
</article>`;

/** A command that writes a mail. */
const verifyCommand = `curl -u APPLICATION:SECRET -H 'password: correct horse' -X POST \\
  'http://127.0.0.1:8080/verify?email=jane@example.com'`;

const empty = html`<div class="card notice"><h2>No mails yet</h2><p>Mails are written to files and shown here. Ask for one for a user that exists:</p><pre tabindex="0">${verifyCommand}</pre></div>`;

const contentOf = (view: KeptMailsView, now: number): Html => {
  const { mails, opened, notice } = view;
  if (opened !== undefined) return html`${list(view, now)}${article(opened, now)}`;
  if (notice === undefined) return empty;
  return html`${mails.length === 0 ? nothing : list(view, now)}<div class="card notice"><h2>Nothing to show</h2><p>${notice}</p></div>`;
};

/** The page of the mails that were kept. The HTML of a mail is in a frame. Only the button that copies a link needs a script. */
export const keptMailsPage = (view: KeptMailsView, now: number): OperatorPage => {
  const { mails, opened, isChosen = false } = view;
  const kinds = [mails.length === 0 ? 'single' : 'double', isChosen ? 'chosen' : 'overview'];
  return {
    title: opened === undefined ? 'Outbox' : `${subjectOf(opened)} · Outbox`,
    css: style,
    section: adminPaths.keptMails,
    content: html`<div class="title"><h1>Outbox</h1><a class="quiet" href="${adminPaths.keptMails}">Look for new mails</a></div>
<div class="${kinds.join(' ')}">
${contentOf(view, now)}
</div>
<script>${script}</script>`,
  };
};

/** The Content-Security-Policy of the page: its own style, script and icon, and the frame of a mail. */
export const keptMailsPolicy = `default-src 'none'; style-src ${sourceOf(style)}; script-src ${sourceOf(script)}; img-src data:; frame-src 'self'; ${baseDirectives("'none'")}`;
