import { createHash } from 'node:crypto';
import { html as anyHtml, type SafeHtml } from '@remix-run/html-template';

/**
 * Markup in which every text is escaped. Only the tag `html` creates it, so that a string is never mistaken for markup.
 */
export type Html = SafeHtml;

/** Strings and numbers are escaped, markup is kept, the items of a list are joined. */
type Inserted = string | number | Html | Html[];

/** A template tag that escapes what is inserted, for the text of an element or a quoted attribute. */
export const html: (markup: TemplateStringsArray, ...inserted: readonly Inserted[]) => Html = anyHtml;

/** Empty markup. */
export const nothing: Html = html``;

/** The icon of the service for browser tabs, as a data URL that fits into an attribute. */
export const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 64 64%22%3E%3Crect width=%2264%22 height=%2264%22 rx=%2216%22 fill=%22%234f46e5%22/%3E%3Cpath d=%22M19 33.5 28 42 46 23%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%226%22 stroke-linecap=%22round%22 stroke-linejoin=%22round%22/%3E%3C/svg%3E';

/** How a page is written: its language tag (RFC 5646) and direction. */
interface Writing {
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
}

const english: Writing = { tag: 'en', direction: 'ltr' };

/** An HTML document without scripts and external resources; `title` is plain text. */
export const documentOf = (title: string, css: Html, body: Html, { tag, direction }: Writing = english): string =>
  html`<!doctype html>
<html lang="${tag}"${direction === 'rtl' ? html` dir="rtl"` : nothing}>
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

/** The source for a Content-Security-Policy that allows exactly this style or script. */
export const sourceOf = (content: Html | string): string =>
  `'sha256-${createHash('sha256').update(content.toString()).digest('base64')}'`;

/** The directives that every Content-Security-Policy ends with, because `default-src` covers none of them. */
export const baseDirectives = (formTargets: "'none'" | "'self'"): string =>
  `base-uri 'none'; form-action ${formTargets}; frame-ancestors 'none'`;

/** The headers of every HTML page: a policy, no caching, no referrer. */
export const pageHeaders = (contentSecurityPolicy: string): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
});
