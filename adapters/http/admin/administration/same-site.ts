import type { IncomingMessage } from 'node:http';

const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/**
 * Whether a browser sent a request that changes something for a page of another site: it adds the credentials that it
 * knows by itself. What no browser sent has neither header (Fetch Metadata; OWASP, Cross-Site Request Forgery
 * Prevention).
 */
export const isCrossSite = ({ method = '', headers }: IncomingMessage): boolean => {
  if (!changing.has(method)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  return headers.origin !== undefined && hostOf(headers.origin) !== headers.host;
};
