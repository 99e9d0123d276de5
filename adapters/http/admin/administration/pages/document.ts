import { type Html, html } from '../../../pages/html.ts';
import { documentOf, icon, styleSource } from '../../../pages/layout.ts';
import { style } from './administration-style.ts';

/** A page of the administration; `title` is plain text. */
export const pageOf = (title: string, content: Html, kind: 'single' | 'wide' = 'single'): string =>
  documentOf(
    `${title} · Users`,
    style,
    html`<header>
<img src="${icon}" width="36" height="36" alt="">
<div><h1>Users</h1><p>Find, read, reset and delete accounts</p></div>
<a href="/admin">All users</a>
</header>
<main class="${kind}">
${content}
</main>`,
  );

/** A page that says something instead of showing it; both are plain text. */
export const noticePage = (heading: string, sentence: string): string =>
  pageOf(
    heading,
    html`<div class="card notice"><h2>${heading}</h2><p>${sentence}</p><p><a href="/admin">Back to all users</a></p></div>`,
  );

/** The Content-Security-Policy of the pages: their own style and icon, and forms for the service itself. */
export const policy = `default-src 'none'; style-src ${styleSource(style)}; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** A path of the pages with a query; what is empty is left out. */
export const pathTo = (path: string, query: Readonly<Record<string, string>>): string => {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return given.size === 0 ? path : `${path}?${given}`;
};
