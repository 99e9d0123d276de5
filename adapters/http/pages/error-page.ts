import type { Request as KoaRequest } from 'koa';
import { type HtmlPage, page } from './link-pages.ts';

const english = { tag: 'en', locale: null, direction: 'ltr', brand: null } as const;

/** Whether a browser asks for a page: HTML is preferred to JSON (RFC 9110, section 12.5.1). Programs get JSON. */
export const prefersPage = (request: KoaRequest): boolean =>
  request.headers.accept?.includes('text/html') === true && request.accepts('json', 'html') === 'html';

/** The page for a browser whose request was refused; texts as in problem documents. */
export const errorPage = (title: string, detail: string, requestId: string): HtmlPage =>
  page('problem', { title, sentence: detail, hint: `Request ID: ${requestId}` }, english);
