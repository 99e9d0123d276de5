import { baseDirectives, documentOf, type Html, html, icon, sourceOf } from '../../../pages/html.ts';
import { operatorStyle } from '../../../pages/operator-pages.ts';

const style = html`${operatorStyle}
:root { --good: #15803d; --goodground: #e8f6ec; --bad: #b91c1c; --badground: #fdecec; --badbutton: #c02626; --done: #e8f6ec; }
@media (prefers-color-scheme: dark) { :root { --good: #4ade80; --goodground: #16301f; --bad: #fca5a5; --badground: #3a1d1f; --badbutton: #b91c1c; --done: #16301f; } }
button, input, select { font: inherit; }
button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible, pre:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.card { border: 1px solid var(--edge); border-radius: 16px; background: var(--card); box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 8px 28px rgb(0 0 0 / .05); }
.search { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; margin: 0 0 20px; padding: 18px 20px; }
.search label { display: block; margin-bottom: 4px; color: var(--soft); font-size: 14px; font-weight: 600; }
.search div:first-child { flex: 1 1 260px; }
input, select, textarea { width: 100%; height: 44px; padding: 0 12px; border: 1px solid var(--edge); border-radius: 10px; background: var(--ground); color: var(--ink); }
textarea { height: auto; padding: 12px; font: 14px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; resize: vertical; }
.user label { display: block; margin: 20px 0 4px; color: var(--soft); font-size: 14px; font-weight: 600; }
.problem { margin: 20px 0 0; padding: 14px 20px; border-radius: 12px; background: var(--badground); }
.user .problem p { color: var(--bad); }
.user .problem strong { color: inherit; }
.action, .danger, .quiet { display: inline-flex; align-items: center; height: 44px; padding: 0 20px; border: 1px solid transparent; border-radius: 10px; font-size: 15px; font-weight: 600; text-decoration: none; cursor: pointer; }
.action { background: var(--button); color: #fff; }
.danger { background: var(--badbutton); color: #fff; }
.quiet { border-color: var(--edge); background: var(--card); color: var(--ink); }
.action:hover, .danger:hover { filter: brightness(1.08); }
.quiet:hover { border-color: var(--accent); color: var(--accent); }
.done { margin: 0 0 20px; padding: 14px 20px; border-radius: 12px; background: var(--done); color: var(--good); font-weight: 600; }
ul { margin: 0; padding: 6px; list-style: none; }
li a { display: grid; grid-template-columns: minmax(0, 1fr) 400px 96px; gap: 0 16px; align-items: center; padding: 12px 14px; border-radius: 10px; color: inherit; text-decoration: none; }
li + li { border-top: 1px solid var(--edge); }
li a:hover { background: var(--tint); }
.address { overflow: hidden; font-weight: 600; text-overflow: ellipsis; white-space: nowrap; }
.badge { justify-self: start; padding: 2px 10px; border: 1px solid var(--edge); border-radius: 999px; color: var(--soft); font-size: 13px; font-weight: 600; }
.badges { display: flex; flex-wrap: wrap; gap: 4px 6px; }
.badge.stopped { border-color: transparent; background: var(--badground); color: var(--bad); }
.badge.verified { border-color: transparent; background: var(--goodground); color: var(--good); }
li time { color: var(--soft); font-size: 14px; text-align: right; font-variant-numeric: tabular-nums; }
.pages { display: flex; gap: 12px; justify-content: space-between; margin: 20px 0 0; }
.single { max-width: 820px; }
.back { display: inline-block; margin: 0 0 14px; font-size: 15px; }
.user { padding: 28px 32px 32px; }
h2 { margin: 0 0 18px; font-size: 24px; line-height: 1.25; letter-spacing: -.015em; }
h3 { margin: 26px 0 8px; color: var(--soft); font-size: 14px; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 8px 20px; align-items: baseline; margin: 0; font-size: 15px; }
dt { color: var(--soft); }
dd { margin: 0; }
pre { max-height: 30rem; margin: 0; padding: 18px 20px; overflow: auto; border: 1px solid var(--edge); border-radius: 12px; background: var(--ground); font: 14px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; white-space: pre-wrap; }
.choices { display: flex; flex-wrap: wrap; gap: 12px; margin: 28px 0 0; }
h3 + .choices { margin-top: 0; }
.user p { margin: 0; color: var(--soft); }
.user p strong { color: var(--ink); }
.notice { padding: 56px 32px; text-align: center; }
.notice p { margin: 0 0 8px; color: var(--soft); }
@media (max-width: 860px) {
  li a { grid-template-columns: minmax(0, 1fr) auto; gap: 4px 12px; }
  li .address { grid-column: 1 / -1; }
}
@media (max-width: 640px) {
  header, main { padding-right: 16px; padding-left: 16px; }
  header p { display: none; }
  .search { padding: 16px; }
  .search > * { flex: 1 1 100%; }
  .search .action { justify-content: center; }
  .user { padding: 22px 18px; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 2px; }
  dd { margin: 0 0 10px; }
  .choices > * { flex: 1 1 100%; justify-content: center; }
}
`;

/** A page of the administration; `title` is plain text. */
export const pageOf = (title: string, content: Html, kind: 'single' | 'wide' = 'single'): string =>
  documentOf(
    `${title} · Users`,
    style,
    html`<header>
<img src="${icon}" width="36" height="36" alt="">
<div><h1>Users</h1><p>Find, help, stop and delete accounts</p></div>
<a href="/admin">All users</a>
</header>
<main class="${kind}">
${content}
</main>`,
  );

/** A page with a message only; heading and sentence are plain text. */
export const noticePage = (heading: string, sentence: string): string =>
  pageOf(
    heading,
    html`<div class="card notice"><h2>${heading}</h2><p>${sentence}</p><p><a href="/admin">Back to all users</a></p></div>`,
  );

/** The Content-Security-Policy of the pages: their own style and icon, and forms that are sent to this service. */
export const contentSecurityPolicy = `default-src 'none'; style-src ${sourceOf(style)}; img-src data:; ${baseDirectives("'self'")}`;

/** A path with a query, which leaves out empty values. */
export const pathTo = (path: string, query: Readonly<Record<string, string>>): string => {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return given.size === 0 ? path : `${path}?${given}`;
};
