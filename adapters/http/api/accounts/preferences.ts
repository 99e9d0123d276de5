import type { Request as KoaRequest } from 'koa';

/** Matches each preference of a header, up to a comma outside of quoted strings; linear time for any text. */
const preferences = /(?:"(?:[^"\\]|\\.?)*"?|[^",])+/g;

/**
 * Returns whether a request has a preference (RFC 7240), given as the pattern of its name and an empty value, which is the
 * same as none (section 2). Other preferences are ignored.
 */
export const prefers =
  (pattern: RegExp) =>
  ({ req }: KoaRequest): boolean => {
    const { prefer } = req.headers;
    if (prefer === undefined) return false;
    return (String(prefer).match(preferences) ?? []).some((preference) => pattern.test(preference));
  };
