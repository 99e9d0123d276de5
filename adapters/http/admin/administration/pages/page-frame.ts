import { baseDirectives, type Html, html, nothing, sourceOf } from '../../../pages/html.ts';
import { type OperatorPage, operatorStyle } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';

const style = html`${operatorStyle}
:root { --goodground: #e8f6ec; --badground: #fdecec; --badbutton: #c02626; --name: #4338ca; --string: #15703a; --number: #a14a00; }
@media (prefers-color-scheme: dark) { :root { --goodground: #16301f; --badground: #3a1d1f; --badbutton: #b91c1c; --name: #a5b4fc; --string: #7ddba0; --number: #fdba74; } }
button, input, select { font: inherit; }
button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible, pre:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.search { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; margin: 0 0 20px; padding: 16px 20px 18px; }
.search label { display: block; margin-bottom: 4px; color: var(--soft); font-size: 14px; font-weight: 600; }
.search div { flex: 0 1 auto; }
.search div:has(input) { flex: 1 1 180px; }
input, select, textarea { width: 100%; height: 40px; padding: 0 12px; border: 1px solid var(--soft); border-radius: 9px; background: var(--card); color: var(--ink); }
textarea { height: auto; min-height: 12lh; max-height: 70vh; padding: 12px; field-sizing: content; font: 14px/1.6 var(--mono); resize: vertical; }
.danger { background: var(--badbutton); color: #fff; }
.danger:hover { filter: brightness(1.08); }
.warning { border-color: var(--bad); color: var(--bad); }
.warning:hover { background: var(--badground); }
.done { margin: 0 0 20px; padding: 12px 18px; border-radius: 10px; background: var(--goodground); color: var(--good); font-weight: 600; }
.problem { margin: 20px 0 0; padding: 12px 18px; border-radius: 10px; background: var(--badground); color: var(--bad); }
.problem p { margin: 0; }
.users { width: 100%; border-spacing: 0; table-layout: fixed; }
.users th { padding: 12px 20px 10px; border-bottom: 1px solid var(--edge); color: var(--soft); font-size: 13px; font-weight: 600; text-align: start; }
.users td { height: 40px; padding: 7px 20px; }
.users tr + tr td { border-top: 1px solid var(--edge); }
.users tbody tr { position: relative; }
.users tbody tr:hover { background: var(--ground); }
.users th:nth-child(2) { width: 24%; }
.users th:nth-child(n + 3) { width: 20%; }
.named th:nth-child(2) { width: 18%; }
.named th:nth-child(3) { width: 24%; }
.named th:nth-child(n + 4) { width: 15%; }
.active th:nth-child(n + 3) { width: 14%; }
.named.active th:nth-child(2) { width: 15%; }
.named.active th:nth-child(3) { width: 21%; }
.named.active th:nth-child(n + 4) { width: 12%; }
.named td:nth-child(2) { overflow: hidden; text-align: left; text-overflow: ellipsis; white-space: nowrap; }
.count { margin: 0; margin-inline-start: auto; color: var(--soft); font-variant-numeric: tabular-nums; }
.users a { display: block; overflow: hidden; color: inherit; font-weight: 600; text-decoration: none; text-overflow: ellipsis; white-space: nowrap; }
.users a::after { position: absolute; inset: 0; content: ""; }
.users a:focus-visible { outline: 0; }
.users a:focus-visible::after { outline: 3px solid var(--accent); outline-offset: -3px; }
.users time, .users small { position: relative; display: block; font-size: 14px; font-variant-numeric: tabular-nums; }
.queued { width: 100%; border-spacing: 0; }
.queued th { padding: 12px 12px 10px; border-bottom: 1px solid var(--edge); color: var(--soft); font-size: 13px; font-weight: 600; text-align: start; white-space: nowrap; }
.queued td { height: 40px; padding: 5px 12px; font-size: 15px; }
.queued th:first-child { width: 99%; }
.queued td:first-child { overflow-wrap: anywhere; min-width: 16rem; }
.queued td:nth-child(n + 2) { white-space: nowrap; }
.queued td span { display: none; }
.queued tr + tr td { border-top: 1px solid var(--edge); }
.queued td:last-child { white-space: nowrap; text-align: end; }
.queued form { display: inline-block; margin: 0 8px 0 0; }
.queued .quiet, .queued .warning { min-height: 30px; padding: 0 12px; font-size: 14px; }
.badge { padding: 2px 10px; border: 1px solid var(--edge); border-radius: 999px; color: var(--soft); font-size: 13px; font-weight: 600; white-space: nowrap; }
.badges { display: flex; flex-wrap: wrap; gap: 4px 6px; }
.badge.stopped { border-color: transparent; background: var(--badground); color: var(--bad); }
.badge.verified { border-color: transparent; background: var(--goodground); color: var(--good); }
.pages, .pages span { display: flex; gap: 12px; justify-content: space-between; }
.pages { margin: 20px 0 0; }
.single { max-width: 760px; margin: 0 auto; }
.back { display: inline-block; margin: 0 0 14px; font-size: 15px; }
.part { margin: 0 0 20px; padding: 22px 26px 26px; }
.part h2 { margin: 0 0 14px; font-size: 16px; }
.part p { margin: 0 0 14px; color: var(--soft); }
.part p strong { color: var(--ink); overflow-wrap: anywhere; }
.part .problem { margin-bottom: 20px; }
.part .problem:first-child { margin-top: 0; }
.part .problem p { margin: 0; color: inherit; }
.part .problem p strong { color: inherit; }
.part label { display: block; margin: 18px 0 4px; font-size: 14px; font-weight: 600; }
.part .wrong { margin: 6px 0 0; color: var(--bad); font-size: 14px; }
[aria-invalid] { border-color: var(--bad); }
textarea.short { min-height: 0; }
textarea.prose { font: inherit; }
.property { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 18px; align-items: end; }
.part .check { display: flex; gap: 8px; align-items: center; height: 40px; margin: 0; color: var(--soft); }
.check input { width: 18px; height: 18px; }
.addition { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 16px; margin: 26px 0 18px; padding: 0 18px 18px; border: 1px solid var(--edge); border-radius: 10px; }
.addition legend { padding: 0 6px; color: var(--soft); font-size: 14px; font-weight: 600; }
.addition div:last-child { grid-column: 1 / -1; }
.plain { border-color: transparent; background: none; box-shadow: none; padding-top: 6px; padding-bottom: 6px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 8px 24px; align-items: baseline; margin: 0; font-size: 15px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
dd small { color: var(--soft); font-size: inherit; }
pre { max-height: 30rem; margin: 0 0 16px; padding: 14px 18px; overflow: auto; border: 1px solid var(--edge); border-radius: 10px; background: var(--ground); font: 14px/1.6 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.name { color: var(--name); }
.string { color: var(--string); }
.number { color: var(--number); }
.choices { display: flex; flex-wrap: wrap; gap: 10px; margin: 0; }
form .choices { margin-top: 26px; }
@media (max-width: 820px) {
  .queued thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .queued, .queued tbody { display: block; }
  .queued tr { display: flex; flex-wrap: wrap; gap: 2px 14px; padding: 12px 16px; }
  .queued tr + tr { border-top: 1px solid var(--edge); }
  .queued td, .queued tr + tr td { height: auto; padding: 0; border: 0; }
  .queued td:first-child, .queued td:last-child { flex: 1 1 100%; text-align: start; }
  .queued td:last-child { margin-top: 8px; }
  .queued td:nth-child(4) { display: none; }
  .queued td:nth-child(n + 2) { white-space: normal; }
  .queued td span { display: inline; }
  .users thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .users, .users tbody { display: block; }
  .users tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 6px 12px; align-items: center; padding: 12px 16px; }
  .users tr + tr { border-top: 1px solid var(--edge); }
  .users td, .users tr + tr td { height: auto; padding: 0; border: 0; }
  .users td:first-child { grid-column: 1 / -1; }
  .users td:has(> time) ~ td { display: none; }
  .named td:nth-child(2) { grid-column: 1 / -1; }
  .named td:empty { display: none; }
}
@media (max-width: 640px) {
  .search { padding: 14px 16px 16px; }
  .search > div, .search > button { flex: 1 1 40%; }
  .search > div:first-child, .search > button { flex: 1 1 100%; }
  .pages { flex-direction: column-reverse; }
  .pages span, .pages a { flex: 1 1 0; justify-content: center; }
  .search .action { justify-content: center; }
  .part { padding: 18px 18px 20px; }
  .plain { padding-right: 0; padding-left: 0; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin: 0 0 12px; }
  .choices > * { flex: 1 1 100%; justify-content: center; }
}
`;

/** A page of the administration; `title` is plain text. */
export const adminPage = (title: string, content: Html, section: string = adminPaths.administration): OperatorPage => ({
  title,
  css: style,
  content,
  section,
});

/** Says above a page what was done; nothing without a message, which is plain text. */
export const doneLine = (message: string | undefined): Html =>
  message === undefined ? nothing : html`<p class="done" role="status">${message}</p>\n`;

const labelOf = (back: string): string => {
  if (back === adminPaths.user) return 'Open a user';
  if (back === adminPaths.waitingMails) return 'Waiting mails';
  return back === adminPaths.administration ? 'All users' : 'Back to the list';
};

/** A page about one thing, with a link to the list at `back` unless that is empty; heading and message are plain text. */
export const singlePage = (
  heading: string,
  content: Html,
  message?: string,
  back: string = adminPaths.administration,
): OperatorPage => {
  const linkBack = back === '' ? nothing : html`<a class="back" href="${back}">${labelOf(back)}</a>`;
  return adminPage(
    heading,
    html`<div class="single">\n${linkBack}\n${doneLine(message)}<div class="title"><h1>${heading}</h1></div>\n${content}\n</div>`,
    back === adminPaths.waitingMails ? back : undefined,
  );
};

/** The Content-Security-Policy of the pages: their own style and icon, and forms that are sent to this service. */
export const contentSecurityPolicy = `default-src 'none'; style-src ${sourceOf(style)}; img-src data:; ${baseDirectives("'self'")}`;

/** A path with a query, which leaves out empty values. */
export const pathTo = (path: string, query: Readonly<Record<string, string>>): string => {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return given.size === 0 ? path : `${path}?${given}`;
};
