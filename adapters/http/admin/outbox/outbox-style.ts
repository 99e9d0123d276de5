import { html } from '../../pages/html.ts';
import { deskStyle } from '../../pages/operator-style.ts';

/** The style of the outbox page. The policy names its hash, so that no other style can apply. */
export const style = html`${deskStyle}.double { display: grid; grid-template-columns: 340px minmax(0, 1fr); gap: 20px; align-items: start; }
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
