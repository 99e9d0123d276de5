import { createHash } from 'node:crypto';
import { type Html, html, nothing } from './html.ts';
import { style } from './page-style.ts';

/** What every page has: plain text, which the layout escapes. */
export interface PageText {
  /** The heading, and the title of the window. */
  readonly title: string;
  readonly sentence: string;
  /** What the reader can do next. */
  readonly hint?: string;
}

/** The drawing above the heading: what happened, without words. */
export type Sign = 'done' | 'problem' | 'ask';

const strokes: Readonly<Record<Sign, Html>> = {
  done: html`<path d="M20 33.5 28.5 42 45 24"/>`,
  problem: html`<path d="M32 19v17"/><path d="M32 44.5v.5"/>`,
  ask: html`<path d="M18 23h28v19H18z"/><path d="m19 24.5 13 10 13-10"/>`,
};

/** The drawing of the service for the tab of a browser, as a data URL that fits into an attribute. */
export const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 64 64%22%3E%3Crect width=%2264%22 height=%2264%22 rx=%2216%22 fill=%22%234f46e5%22/%3E%3Cpath d=%22M19 33.5 28 42 46 23%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%226%22 stroke-linecap=%22round%22 stroke-linejoin=%22round%22/%3E%3C/svg%3E';

/** An HTML document without script and without anything to load; `title` is plain text. */
export const documentOf = (title: string, css: Html, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>${css}</style>
</head>
<body>
${body}
</body>
</html>
`.toString();

/** A page for a person who followed a link: complete in itself. `form` is what the person can do here. */
export const page = (sign: Sign, { title, sentence, hint }: PageText, css = style, form = nothing): string =>
  documentOf(
    title,
    css,
    html`<main class="${sign}">
<svg viewBox="0 0 64 64" width="72" height="72" aria-hidden="true"><circle cx="32" cy="32" r="32"/>${strokes[sign]}</svg>
<h1>${title}</h1>
<p>${sentence}</p>${form === nothing ? nothing : html`\n${form}`}${hint === undefined ? nothing : html`\n<p class="hint">${hint}</p>`}
</main>`,
  );

/** The source of a Content-Security-Policy for one style, and no other. */
export const styleSource = (css: Html): string =>
  `'sha256-${createHash('sha256').update(css.toString()).digest('base64')}'`;

// The icon is the only image; `default-src` covers neither of the last three (Content Security Policy, level 3).
/** What every policy of a page here ends with; it says where forms may be sent. */
export const closedTo = (forms: "'none'" | "'self'"): string =>
  `base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`;

/** What the policy of a page without a form ends with. */
export const closed = closedTo("'none'");

/** The Content-Security-Policy of the pages made here: their own style, and nothing else. */
export const pagePolicy = `default-src 'none'; style-src ${styleSource(style)}; img-src data:; ${closed}`;

/**
 * The Content-Security-Policy of an operator's own page: its styles, and images, fonts and style sheets over https.
 * Still no script: the page has the origin of the account API.
 */
export const customPagePolicy = `default-src 'none'; style-src 'unsafe-inline' https:; img-src data: https:; font-src data: https:; media-src https:; ${closed}`;
