import { baseDirectives, documentOf, type Html, html, nothing, sourceOf } from './html.ts';

/** The style of the pages for people who follow a verification link. */
export const pageStyle = html`
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

/** The texts of a page, as plain text. */
export interface PageText {
  /** The heading, and the title of the document. */
  readonly title: string;
  readonly sentence: string;
  /** What the reader can do next. */
  readonly hint?: string;
}

type PageIcon = 'done' | 'problem' | 'ask';

const strokes: Readonly<Record<PageIcon, Html>> = {
  done: html`<path d="M20 33.5 28.5 42 45 24"/>`,
  problem: html`<path d="M32 19v17"/><path d="M32 44.5v.5"/>`,
  ask: html`<path d="M18 23h28v19H18z"/><path d="m19 24.5 13 10 13-10"/>`,
};

/** A page for a person who followed a link; `form` is the markup of its form. */
export const page = (icon: PageIcon, { title, sentence, hint }: PageText, css = pageStyle, form = nothing): string =>
  documentOf(
    title,
    css,
    html`<main class="${icon}">
<svg viewBox="0 0 64 64" width="72" height="72" aria-hidden="true"><circle cx="32" cy="32" r="32"/>${strokes[icon]}</svg>
<h1>${title}</h1>
<p>${sentence}</p>${form === nothing ? nothing : html`\n${form}`}${hint === undefined ? nothing : html`\n<p class="hint">${hint}</p>`}
</main>`,
  );

/** The Content-Security-Policy of these pages: their own style and icon only. */
export const pagePolicy = `default-src 'none'; style-src ${sourceOf(pageStyle)}; img-src data:; ${baseDirectives("'none'")}`;

/**
 * The Content-Security-Policy of an operator's own success page: its styles, and images, fonts and style sheets over
 * https. Scripts stay forbidden, because the page has the origin of the API.
 */
export const customPagePolicy = `default-src 'none'; style-src 'unsafe-inline' https:; img-src data: https:; font-src data: https:; media-src https:; ${baseDirectives("'none'")}`;

/** The default page of GET /verify/success (specification, section 4, rule 8). */
export const successPage: string = page('done', {
  title: 'Your account has been verified',
  sentence: 'Thank you for confirming your email address. You can close this page now.',
});

/** The texts for a failed verification link, by the status of the response. */
const failures: Readonly<Record<number, PageText>> = {
  400: {
    title: 'This link no longer works',
    sentence: 'It may be incomplete, or a newer verification email has replaced it.',
    hint: 'Open the link in the latest email that you received, or ask for a new one where you signed up.',
  },
  404: {
    title: 'We could not find this account',
    sentence: 'The account may have been removed, or its email address has changed.',
    hint: 'If you have just changed your address, look for a newer email there.',
  },
  503: {
    title: 'Please try again in a moment',
    sentence: 'We could not verify your account just now. Your link is still good.',
    hint: 'Wait a minute, then open the link in your email again.',
  },
};

const expiredLink: PageText = {
  title: 'This link has expired',
  sentence: 'To keep your account safe, the link in a verification email works for a limited time.',
  hint: 'Ask for a new email where you signed up, and open its link soon.',
};

const otherFailure: PageText = {
  title: 'Something went wrong',
  sentence: 'We could not verify your account. This is our fault, not yours.',
  hint: 'Try the link in your email again later. If it still fails, ask for help where you signed up.',
};

/** The page for a person whose verification link failed with an HTTP status of 400 or above, and a problem code. */
export const failurePage = (status: number, code?: string): string =>
  page('problem', code === 'token_expired' ? expiredLink : (failures[status] ?? otherFailure));
