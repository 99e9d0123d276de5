import { unescape as unescapeQuery } from 'node:querystring';
import type { Request as KoaRequest } from 'koa';

/** The parameters of a query in their order. */
export type Query = readonly (readonly [name: string, value: string])[];

const percentEncoding = /%[0-9a-f]{2}/i;

const decode = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  const percent = spaced.indexOf('%');
  if (percent === -1) return spaced;
  // Fast path for an address with only its @ encoded, as most clients send it; the general case takes ten times as long.
  const onlyAt = spaced.startsWith('40', percent + 1) && !spaced.includes('%', percent + 1);
  if (onlyAt) return `${spaced.slice(0, percent)}@${spaced.slice(percent + 3)}`;
  return percentEncoding.test(spaced) ? unescapeQuery(spaced) : spaced;
};

const parameterOf = (part: string): Query[number] => {
  const equals = part.indexOf('=');
  return equals === -1 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
};

/**
 * Parses the query of a request as a form: a plus sign is a space, and an invalid percent-encoding stays as it is. The
 * result is that of Koa's `query`, in a tenth of the time.
 */
export const queryOf = ({ querystring }: Pick<KoaRequest, 'querystring'>): Query =>
  querystring.split('&').map(parameterOf);

/** The value of a parameter: a list if it occurs several times, undefined if it is missing. */
export const queryValue = (query: Query, name: string): string | readonly string[] | undefined => {
  let first: string | undefined;
  let all: string[] | undefined;
  for (const [parameter, value] of query) {
    if (parameter !== name) continue;
    if (first === undefined) first = value;
    else {
      all ??= [first];
      all.push(value);
    }
  }
  return all ?? first;
};
