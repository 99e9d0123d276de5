import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { Request } from 'koa';

/** The parameters of a query; a repeated one is an array. */
export type Query = Readonly<ParsedUrlQuery>;

/**
 * The query of a request, read as a form (a plus sign is a space; what is no percent-encoding stays as it is). Koa's own
 * `query` says the same and takes five times as long.
 */
export const queryOf = ({ querystring }: Request): Query => parse(querystring, '&', '=', { maxKeys: 0 });
