import type { Reply } from '../server/response.ts';
import { baseDirectives, documentOf, type Html, html, nothing, pageHeaders, sourceOf } from './html.ts';
import {
  type Brand,
  continueLabel,
  failureText,
  type PageLanguage,
  type PageText,
  type PageTexts,
} from './page-texts.ts';

/** The style of the pages for people who follow a verification link. */
export const pageStyle = html`
:root { color-scheme: light dark; --ground: #f4f4f7; --card: #fff; --edge: #e4e4ea; --ink: #18181b; --soft: #56565f; --done: #15803d; --problem: #b45309; --ask: #4f46e5; --on-ask: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0f0f12; --card: #1a1a1f; --edge: #2e2e36; --ink: #f4f4f5; --soft: #a8a8b3; --done: #4ade80; --problem: #fbbf24; --ask: #a5b4fc; --on-ask: #1e1b4b; }
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
.brand { margin: 0 0 32px; color: var(--ink); font-size: 16px; font-weight: 650; overflow-wrap: anywhere; }
.brand img { display: block; max-width: 75%; height: 44px; margin: 0 auto; object-fit: contain; }
.next { margin-top: 28px; }
.next a, button { display: block; width: 100%; min-height: 52px; padding: 12px 24px; border: 0; border-radius: 12px; background: var(--ask); color: var(--on-ask); font: inherit; font-weight: 600; text-decoration: none; overflow-wrap: anywhere; cursor: pointer; }
.problem .next a { border: 1px solid var(--soft); background: none; color: var(--ink); }
.next a:hover, button:hover { filter: brightness(1.08); }
.next a:focus-visible, button:focus-visible { outline: 3px solid var(--ask); outline-offset: 3px; }
.hint { margin-top: 24px; padding-top: 20px; border-top: 1px solid var(--edge); font-size: 15px; }
@media (max-width: 420px) { main { padding: 40px 24px; } }
@media (prefers-reduced-motion: no-preference) {
  .done path { stroke-dasharray: 40; animation: draw .45s .1s ease-out backwards; }
  @keyframes draw { from { stroke-dashoffset: 40; } }
}
`;

/** The name or logo of the product above the icon. */
const brandLine = ({ name, logo }: Brand): Html =>
  html`<p class="brand">${logo === null ? name : html`<img src="${logo}" alt="${name}">`}</p>\n`;

/** A page, and its Content-Security-Policy. */
export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

type PageStyle = { readonly css: Html; readonly policy: string };

/** A style and the policy that allows it, for both directions of writing. */
type PageStyles = Readonly<Record<PageLanguage['direction'], PageStyle>>;

/** The policy allows the style and the icon only, and forms that are sent to `formTargets`. */
export const pageStyles = (css: Html, formTargets: "'none'" | "'self'"): PageStyles => {
  const withPolicy = (all: Html): PageStyle => ({
    css: all,
    policy: `default-src 'none'; style-src ${sourceOf(all)}; img-src data:; ${baseDirectives(formTargets)}`,
  });
  // Letters of scripts from right to left are joined, and spacing would separate them.
  return { ltr: withPolicy(css), rtl: withPolicy(html`${css}h1 { letter-spacing: normal; }\n`) };
};

const plainStyles = pageStyles(pageStyle, "'none'");

type PageIcon = 'done' | 'problem' | 'ask' | 'password';

const strokes: Readonly<Record<PageIcon, Html>> = {
  done: html`<path d="M20 33.5 28.5 42 45 24"/>`,
  problem: html`<path d="M32 19v17"/><path d="M32 44.5v.5"/>`,
  ask: html`<path d="M18 23h28v19H18z"/><path d="m19 24.5 13 10 13-10"/>`,
  password: html`<path d="M20 30h24v16H20z"/><path d="M25 30v-6a7 7 0 0 1 14 0v6"/>`,
};

type Frame = Omit<PageLanguage, 'texts' | 'locale' | 'lifetime'>;

/** The link to the product at the end of a page. */
const nextLine = (language: Frame): Html =>
  language.product === null
    ? nothing
    : html`\n<p class="next"><a href="${language.product.url}">${continueLabel(language, language.product)}</a></p>`;

/** A line ends before an address rather than at a hyphen in it. */
const withAddress = (sentence: string, address: string): Html => {
  const [first = '', ...others] = sentence.split(address);
  return html`${first}${others.map((part) => html`<span class="address">${address}</span>${part}`)}`;
};

/** A page for a person who followed a link; `form` is the markup of its form. Pages that ask lead nowhere else. */
export const linkPage = (
  icon: PageIcon,
  { title, sentence, hint, address }: PageText,
  language: Frame,
  styles = plainStyles,
  form = nothing,
): HtmlPage => {
  const { direction, brand } = language;
  const { css, policy } = styles[direction];
  const kind = icon === 'password' ? 'ask' : icon;
  const body = html`<main class="${kind}">
${brand === null ? nothing : brandLine(brand)}<svg viewBox="0 0 64 64" width="72" height="72" aria-hidden="true"><circle cx="32" cy="32" r="32"/>${strokes[icon]}</svg>
<h1>${title}</h1>
<p>${address ? withAddress(sentence, address) : sentence}</p>${form === nothing ? nothing : html`\n${form}`}${hint === undefined || hint === null ? nothing : html`\n<p class="hint">${hint}</p>`}${kind === 'ask' ? nothing : nextLine(language)}
</main>`;
  const documentTitle = brand === null ? title : `${title} – ${brand.name}`;
  return { html: documentOf(documentTitle, css, body, language), policy };
};

/** Answers with a page. */
export const pageReply = ({ html: body, policy }: HtmlPage): Reply => ({
  status: 200,
  headers: pageHeaders(policy),
  body,
});

/**
 * The Content-Security-Policy of an operator's own success page: its styles, and images, fonts and style sheets over
 * https. Scripts stay forbidden, because the page has the origin of the API.
 */
export const customPagePolicy = `default-src 'none'; style-src 'unsafe-inline' https:; img-src data: https:; font-src data: https:; media-src https:; ${baseDirectives("'none'")}`;

/** The page for a person whose link failed with an HTTP status of 400 or above, and a problem code. */
export const failurePage = (language: PageLanguage, kind: keyof PageTexts, status: number, code?: string): HtmlPage => {
  const text = failureText(language, kind, status, code);
  // After a failure of the service its text asks the person to open the link again, not to go on.
  return linkPage('problem', text, status >= 500 ? { ...language, product: null } : language);
};
