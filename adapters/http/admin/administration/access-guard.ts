import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Log } from '../../../../application/ports/log.ts';
import { type RequestRefusal, refusal, refuse } from '../../api/refusal.ts';
import type { Route } from '../../api/route-types.ts';
import type { ImmediateAuthenticator } from '../../authentication/authenticator.ts';
import { adminPaths } from '../../paths.ts';
import { requestIdOf } from '../../server/request-id.ts';
import type { FailedLogins } from './failed-logins.ts';

type KnownRoute = Pick<Route, 'method' | 'path' | 'operation'>;

interface GuardParts {
  readonly authenticator: ImmediateAuthenticator;
  /** All routes and pages. The log names a refused request by its route, because the path may hold an address. */
  readonly routes: readonly KnownRoute[];
  readonly logins: FailedLogins;
  readonly log: Log;
}

/** Finds the declared path and the operation of a request; `other` where no route matches. */
const routeFinder = (routes: readonly KnownRoute[]) => {
  const router = new Router({ sensitive: true, strict: true });
  for (const { method, path, operation } of routes) router[method](operation, path, () => undefined);
  return (ctx: Context): { readonly path: string; readonly operation: string } => {
    const [found] = router.match(ctx.path, ctx.method).pathAndMethod;
    return { path: String(found?.path ?? 'other'), operation: found?.name ?? 'other' };
  };
};

const changingMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/**
 * Whether a page of another site made the browser send a request that changes something: the browser adds the
 * administrator's credentials by itself. Clients other than browsers send neither header (Fetch Metadata; OWASP,
 * Cross-Site Request Forgery Prevention).
 */
const isCrossSiteChange = ({ method = '', headers }: IncomingMessage): boolean => {
  if (!changingMethods.has(method)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  return headers.origin !== undefined && hostOf(headers.origin) !== headers.host;
};

/**
 * Cross-site requests are counted separately: a page of another site can make a browser send wrong keys, which must not
 * block the administrator who uses that browser.
 */
const originOf = ({ ip, req }: Context) => ({
  address: ip,
  isCrossSite: req.headers['sec-fetch-site'] === 'cross-site',
});

/**
 * Refuses cross-site changes and wrong keys before they reach the administration. The response to a wrong key is
 * delayed. After too many wrong keys, the address is blocked and right keys are refused too. Refusals are audited and
 * logged without text of the request; further keys from a blocked address are not logged. The index refuses no request.
 */
export const accessGuard = ({ authenticator, routes, logins, log }: GuardParts): Middleware => {
  const find = routeFinder(routes);

  const warn = (ctx: Context, message: string, blockedForSeconds?: number): void => {
    const { method, ip: address, state } = ctx;
    log.warn({ method, route: state.path, address, request: requestIdOf(ctx.req), blockedForSeconds }, message);
  };

  /** Why a request is refused; undefined lets it pass. */
  const refusalFor = async (ctx: Context): Promise<RequestRefusal | undefined> => {
    if (isCrossSiteChange(ctx.req)) {
      warn(ctx, 'a cross-site request to the administration was refused');
      return refusal('cross_site');
    }
    const { authorization } = ctx.req.headers;
    // A request without a key is not a wrong key. Its route asks for one.
    if (authorization === undefined) return undefined;
    const client = authenticator.authenticate(authorization);
    // `add` counts before its first `await`, so that concurrent guesses cannot exceed the limit.
    const { wasBlocked, blockedForSeconds } =
      client === undefined ? await logins.add(originOf(ctx)) : await logins.statusOf(originOf(ctx));
    if (wasBlocked) return { code: 'too_many_attempts', headers: { 'Retry-After': String(blockedForSeconds) } };
    if (client !== undefined) {
      ctx.state.client = client;
      return undefined;
    }
    warn(ctx, 'a login of an administrator was refused', blockedForSeconds === 0 ? undefined : blockedForSeconds);
    await logins.delay();
    return { code: 'client_unauthorized', headers: { 'WWW-Authenticate': authenticator.challenge(authorization) } };
  };

  /**
   * The index needs no key, and a proxy may send one of its own. Wrong keys are counted here, too, but separately: they
   * make the index anonymous for everybody at their address, and block nothing else.
   */
  const admitToIndex = async (ctx: Context): Promise<void> => {
    const { authorization = '' } = ctx.req.headers;
    const [origin, atIndex] = [originOf(ctx), { ...originOf(ctx), isAtIndex: true }];
    const client = authenticator.authenticate(authorization);
    if (client !== undefined) {
      const [status, here] = await Promise.all([logins.statusOf(origin), logins.statusOf(atIndex)]);
      if (!status.wasBlocked && !here.wasBlocked) ctx.state.client = client;
    } else if (/^basic /i.test(authorization)) {
      const { wasBlocked } = await logins.add(atIndex);
      if (!wasBlocked) warn(ctx, 'a key at the index is not that of an administrator');
    }
  };

  return async (ctx, next) => {
    const { path, operation } = find(ctx);
    ctx.state.path = path;
    if (ctx.path === adminPaths.index && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
      await admitToIndex(ctx);
      return next();
    }
    const refused = await refusalFor(ctx);
    if (refused === undefined) return next();
    ctx.state.operation = operation;
    refuse(ctx, refused);
  };
};
