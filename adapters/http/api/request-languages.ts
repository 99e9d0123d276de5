import { right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import type { PageLanguage } from '../pages/page-texts.ts';
import { localeParameter } from '../paths.ts';
import { queryOf, queryValue } from './query.ts';
import type { Parameter } from './route-types.ts';

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

/**
 * The language of the page that a route answers with. The OpenAPI document leaves it out, because links and browsers
 * decide it.
 */
export const languageOfPages = (choose: PageLanguageChoice): Parameter<PageLanguage> => ({
  name: 'Accept-Language',
  in: 'connection',
  required: false,
  description: 'The languages of the page.',
  schema: { type: 'string' },
  example: 'de-AT, de;q=0.9, en;q=0.5',
  neverFails: true,
  read: (request) => right(choose(request)),
});

/** `Accept-Language`: the languages of a mail that the request leads to, in order of preference. */
export const languagesOfMails: Parameter<readonly string[]> = {
  name: 'Accept-Language',
  in: 'header',
  required: false,
  description: 'The languages of the mail, for a user without a language of their own.',
  schema: { type: 'string' },
  example: 'de-AT, de;q=0.9, en;q=0.5',
  neverFails: true,
  read: (request) => right(request.acceptsLanguages()),
};
