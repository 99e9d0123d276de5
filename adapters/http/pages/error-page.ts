import type { Request as KoaRequest } from 'koa';
import { english } from './english-pages.ts';
import { html, nothing } from './html.ts';
import { type HtmlPage, linkPage, pageStyle, pageStyles } from './link-pages.ts';
import type { PageLanguage, PageText } from './page-texts.ts';

/** What the error pages of a port show besides the error. */
export interface ErrorPageFrame extends Pick<PageLanguage, 'brand' | 'product'> {
  /** The path of the page that leads to the others; null for none. */
  readonly home: string | null;
}

declare module 'koa' {
  interface DefaultContext {
    /** Set on the context of every application. */
    errorPages: ErrorPageFrame;
  }
}

const style = html`${pageStyle}.request { margin-top: 24px; padding-top: 20px; border-top: 1px solid var(--edge); font-size: 15px; }
code { font: 12.5px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.home { margin-top: 20px; }
.home a { color: inherit; }
`;

const styles = pageStyles(style, "'none'");

/** Browsers send about 150 characters. The library takes time in proportion to the square of the length, or more. */
const maxAcceptLength = 1_000;

/** Whether a browser asks for a page: HTML is preferred to JSON (RFC 9110, section 12.5.1). Programs get JSON. */
export const prefersPage = (request: KoaRequest): boolean => {
  const { accept = '' } = request.headers;
  if (accept.length > maxAcceptLength || !accept.includes('text/html')) return false;
  return request.accepts('json', 'html') === 'html';
};

/** Whether a program asks for JSON where a page is usual, which it gets if it accepts anything. */
export const prefersJson = (request: KoaRequest): boolean => {
  const { accept = '' } = request.headers;
  if (accept.length > maxAcceptLength || !accept.includes('json')) return false;
  return request.accepts('html', 'json') === 'json';
};

/** The text for a path without a page, for people whom a product sends here. */
export const pageNotFound: PageText = {
  title: 'Page not found',
  sentence: 'There is no page at this address. It may be incomplete or out of date.',
};

/** The page for a browser whose request was refused. */
export const errorPage = (text: PageText, requestId: string, { brand, product, home }: ErrorPageFrame): HtmlPage => {
  const link = home === null ? nothing : html`\n<p class="home"><a href="${home}">All pages</a></p>`;
  const rest = html`<p class="request">Request ID<br><code>${requestId}</code></p>${link}`;
  return linkPage('problem', text, { ...english, brand, product }, styles, rest);
};
