import { right } from 'fp-ts/lib/Either.js';
import type { Parameter } from '../route-types.ts';

/** Matches each preference of a header, up to a comma outside of quoted strings; linear time for any text. */
const preferences = /(?:"(?:[^"\\]|\\.?)*"?|[^",])+/g;

/**
 * Whether a request has a preference (RFC 7240), given as the pattern of its name and an empty value, which is the same as
 * none (section 2). Other preferences are ignored.
 */
export const preference = (name: string, pattern: RegExp, description: string) =>
  ({
    name: 'Prefer',
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
    example: name,
    read: ({ req }) =>
      right((String(req.headers.prefer ?? '').match(preferences) ?? []).some((one) => pattern.test(one))),
  }) satisfies Parameter<boolean>;
