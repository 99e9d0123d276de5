import { right } from 'fp-ts/lib/Either.js';
import type { Parameter } from './route-types.ts';

/** `Accept-Language`: the languages of a mail that the request leads to, in order of preference (RFC 9110, section 12.5.4). */
export const languages: Parameter<readonly string[]> = {
  name: 'Accept-Language',
  in: 'header',
  required: false,
  description: 'The languages of the mail, for a user without a language of their own.',
  schema: { type: 'string' },
  example: 'de-AT, de;q=0.9, en;q=0.5',
  read: (request) => right(request.acceptsLanguages()),
};
