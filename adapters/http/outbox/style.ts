/** The style of the outbox page. The policy names its hash, so that no other style can apply. */
export const style = `
:root { color-scheme: light dark; --ground: #f4f4f7; --card: #fff; --edge: #e4e4ea; --ink: #18181b; --soft: #56565f; --accent: #4338ca; --tint: #eef0ff; --button: #4f46e5; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0f0f12; --card: #1a1a1f; --edge: #2e2e36; --ink: #f4f4f5; --soft: #a8a8b3; --accent: #a5b4fc; --tint: #26263a; --button: #5b54e8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; overflow-wrap: anywhere; }
a { color: var(--accent); }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
header, main { max-width: 1160px; margin: 0 auto; padding: 0 24px; }
header { display: flex; align-items: center; gap: 14px; padding-top: 24px; padding-bottom: 20px; }
header img { display: block; }
header div { flex: 1; }
header a { flex: none; padding: 8px 14px; border: 1px solid var(--edge); border-radius: 10px; background: var(--card); color: var(--ink); font-size: 14px; font-weight: 600; text-decoration: none; }
header a:hover { border-color: var(--accent); color: var(--accent); }
h1 { margin: 0; font-size: 20px; line-height: 1.2; letter-spacing: -.01em; }
header p { margin: 2px 0 0; color: var(--soft); font-size: 14px; line-height: 1.3; }
main { padding-bottom: 40px; }
.double { display: grid; grid-template-columns: 340px minmax(0, 1fr); gap: 20px; align-items: start; }
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
