import { html } from './html.ts';

/** The style of the pages. The policy names its hash, so that no other style can apply. */
export const style = html`
:root { color-scheme: light dark; --ground: #f4f4f7; --card: #fff; --edge: #e4e4ea; --ink: #18181b; --soft: #56565f; --done: #15803d; --problem: #b45309; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0f0f12; --card: #1a1a1f; --edge: #2e2e36; --ink: #f4f4f5; --soft: #a8a8b3; --done: #4ade80; --problem: #fbbf24; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 24px 16px; background: var(--ground); color: var(--ink); font: 17px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; }
main { width: 100%; max-width: 460px; padding: 48px 32px; border: 1px solid var(--edge); border-radius: 20px; background: var(--card); box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 12px 40px rgb(0 0 0 / .06); text-align: center; overflow-wrap: break-word; }
main.done { --accent: var(--done); }
main.problem { --accent: var(--problem); }
svg { display: block; margin: 0 auto 24px; fill: none; stroke: var(--accent); stroke-width: 4.5; stroke-linecap: round; stroke-linejoin: round; }
circle { fill: var(--accent); fill-opacity: .13; stroke: none; }
h1 { margin: 0 0 12px; font-size: clamp(23px, 6.4vw, 28px); line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; }
p { margin: 0; color: var(--soft); text-wrap: pretty; }
.hint { margin-top: 24px; padding-top: 20px; border-top: 1px solid var(--edge); font-size: 15px; }
@media (max-width: 420px) { main { padding: 40px 24px; } }
@media (prefers-reduced-motion: no-preference) {
  .done path { stroke-dasharray: 40; animation: draw .45s .1s ease-out backwards; }
  @keyframes draw { from { stroke-dashoffset: 40; } }
}
`;
