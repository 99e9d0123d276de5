import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { prefersPage } from '../pages/error-page.ts';
import { failurePage, type HtmlPage, pageReply } from '../pages/link-pages.ts';
import type { PageLanguage, PageTexts } from '../pages/page-texts.ts';
import { localeParameter, withLocale } from '../paths.ts';
import { emptyReply, type Reply } from '../server/response.ts';
import { connectionInput, optionalParameter, queryOf, queryValue } from './parameters.ts';
import { defineRoute } from './route.ts';
import type { OperationDescription, Parameter, ResponseDescription, Route } from './route-types.ts';

/** The language of the pages for a request. */
export type PageLanguageChoice = (request: KoaRequest) => PageLanguage;

/**
 * Chooses the language that the link names, which is that of its mail, or else by `Accept-Language`. `lookup` returns the
 * tag of one of `languages` (RFC 4647, section 3.4).
 */
export const byLinkOrBrowser =
  (
    languages: ReadonlyMap<string, PageLanguage>,
    lookup: (requested: readonly string[]) => string,
    ofDefault: PageLanguage,
  ): PageLanguageChoice =>
  (request) => {
    const named = queryValue(queryOf(request), localeParameter);
    const ofLink = typeof named === 'string' ? languages.get(named) : undefined;
    return ofLink ?? languages.get(lookup(request.acceptsLanguages())) ?? ofDefault;
  };

/** The language of the page that a route answers with. Links and browsers decide it, so that no document has it. */
export const languageOfPages = (choose: PageLanguageChoice): Parameter<PageLanguage> => ({
  ...connectionInput('Accept-Language', (request) => right(choose(request))),
  neverFails: true,
});

/** How GET /verify responds: with JSON, or with HTML for a person who followed the link. */
type ResponseType = 'json' | 'html';

/** Not in the schema, so that generated clients have an enumeration. */
export const lenientType = 'In any case; an empty value means `json`.';

/** `response_type`, in any case; the default is json. */
export const responseType: Parameter<ResponseType> = {
  name: 'response_type',
  in: 'query',
  required: false,
  description: `\`json\` returns the user; \`html\` redirects to the success page. ${lenientType}`,
  schema: { title: 'ResponseType', type: 'string', enum: ['json', 'html'], default: 'json' },
  example: 'json',
  read: (_, query) => {
    // Clients of other implementations send it empty.
    if (queryValue(query, 'response_type') === '') return right('json');
    const value = optionalParameter(query, 'response_type');
    if (isLeft(value)) return value;
    const given = value.right?.toLowerCase() ?? 'json';
    return given === 'json' || given === 'html' ? right(given) : left('must be json or html');
  },
};

/**
 * Whether a refusal is shown as a page: the request has `response_type=html`, also one with other invalid parameters, or
 * comes from a browser.
 */
const asksForPage = (request: KoaRequest): boolean => {
  const given = queryValue(queryOf(request), 'response_type');
  return given === undefined ? prefersPage(request) : typeof given === 'string' && given.toLowerCase() === 'html';
};

type RefusalPage = NonNullable<Route['refusalPage']>;

/** Shows refusals as the failure pages of one kind of link. */
export const failurePages =
  (kind: keyof PageTexts, choose: PageLanguageChoice): RefusalPage =>
  (request, status, code) =>
    failurePage(choose(request), kind, status, code);

/** Shows refusals as pages to those who ask for one. Others get problem documents. */
export const ifAskedFor =
  (pages: RefusalPage): RefusalPage =>
  (request, status, code) =>
    asksForPage(request) ? pages(request, status, code) : undefined;

/** A path of a page, in the language of the page that leads to it. */
export const inLanguage = (path: string, { locale }: PageLanguage): string =>
  locale === null ? path : withLocale(path, locale);

/** Redirects to a page of the service, with neither address nor token in its URL. */
export const toPage = (publicUrl: string | null, path: string, language: PageLanguage): Reply => {
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  return emptyReply(303, { Location: `${base}${inLanguage(path, language)}`, 'Referrer-Policy': 'no-referrer' });
};

export const htmlPage: ResponseDescription = {
  description: 'An HTML page.',
  content: { type: 'text/html', schema: { type: 'string' } },
};

interface LastPage
  extends Pick<Route, 'path' | 'operation'>,
    Pick<OperationDescription, 'summary' | 'description' | 'tag'> {
  readonly pageLanguage: PageLanguageChoice;
  readonly pageIn: (language: PageLanguage) => HtmlPage;
}

/** The page at the end of a link, which says what was done. */
export const lastPageRoute = ({ pageLanguage, pageIn, ...documented }: LastPage): Route =>
  defineRoute({
    ...documented,
    method: 'get',
    requires: 'nothing',
    parameters: { language: languageOfPages(pageLanguage) },
    responses: { 200: htmlPage },
    refusals: [],
    handle: (values) => right(values),
    present: ({ language }) => pageReply(pageIn(language)),
  });
