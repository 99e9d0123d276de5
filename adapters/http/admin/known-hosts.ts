import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import type { Log } from '../../../application/ports/log.ts';
import { refusal, refuse } from '../api/refusal.ts';
import { requestIdOf } from '../server/request-id.ts';

/** The host of a Host header (RFC 9110, section 7.2) in lower case, without port, brackets and final dot. */
const hostIn = (header: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(header)?.[1];
  const host = bracketed ?? header.replace(/:\d*$/, '').replace(/\.$/, '');
  return host.toLowerCase();
};

/**
 * Decides whether a Host header names this service: an IP address, `localhost`, or one of `names`, in any case and with
 * any port. The owner of a web page can point the host name of the page to an address of this machine and let the page
 * read the responses (DNS rebinding), but the browser still sends that name. A request without the header passes: it is
 * HTTP/1.0, which no browser speaks.
 */
export const knownHosts = (names: readonly string[]): ((header: string | undefined) => boolean) => {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (header) => {
    if (header === undefined) return true;
    const host = hostIn(header);
    return known.has(host) || isIP(host) !== 0;
  };
};

/**
 * Refuses requests for other hosts, before any route runs. The log omits host and path, because the caller chooses
 * them.
 */
export const onlyKnownHosts = (names: readonly string[], log: Log): Middleware => {
  const isKnown = knownHosts(names);
  return (ctx, next) => {
    if (isKnown(ctx.req.headers.host)) return next();
    const { method, ip: address } = ctx;
    log.warn(
      { method, address, request: requestIdOf(ctx.req) },
      'a request to the admin port was refused: server.adminHosts does not list the name in its Host header',
    );
    return refuse(ctx, refusal('misdirected_request'));
  };
};
