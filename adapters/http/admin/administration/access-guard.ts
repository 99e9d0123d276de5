import { performance } from 'node:perf_hooks';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Log } from '../../../../application/ports/log.ts';
import { type Refusal, refusal } from '../../api/problems.ts';
import type { Route } from '../../api/route.ts';
import type { PromptAuthenticator } from '../../authentication/authenticator.ts';
import { requestIdOf } from '../../server/request-id.ts';
import type { Observer } from '../../server/request-log.ts';
import { refuse } from '../../server/response.ts';
import { FailedLogins } from './failed-logins.ts';
import { isCrossSite } from './same-site.ts';

type KnownRoute = Pick<Route, 'method' | 'path' | 'operation'>;

export interface GuardParts {
  readonly authenticator: PromptAuthenticator;
  /** What can be asked for, so that a refusal is logged by its route instead of its path, which may hold an address. */
  readonly routes: readonly KnownRoute[];
  /** Told of every request that is refused here. */
  readonly observers: readonly Observer[];
  readonly log: Log;
}

/** Finds the route of a request. Paths that belong to none are the caller's invention: `other`. */
const routeFinder = (routes: readonly KnownRoute[]) => {
  const router = new Router({ sensitive: true, strict: true });
  for (const { method, path, operation } of routes) router[method](operation, path, () => undefined);
  return ({ path, method }: Context): { readonly route: string; readonly operation: string } => {
    const [found] = router.match(path, method).pathAndMethod;
    return { route: String(found?.path ?? 'other'), operation: found?.name ?? 'other' };
  };
};

/**
 * Refuses what must not reach the administration: a change that a page of another site makes a browser ask for, and wrong
 * keys, which are answered late, and not compared any more once an address has sent too many. A refusal is audited
 * without any text of the request, and leaves a line in the log; further keys of a blocked address leave none.
 */
export const guard = ({ authenticator, routes, observers, log }: GuardParts): Middleware => {
  const find = routeFinder(routes);
  const logins = new FailedLogins();

  const warn = (ctx: Context, message: string, blockedForSeconds?: number): void => {
    const { method, ip: address } = ctx;
    log.warn({ method, route: find(ctx).route, address, request: requestIdOf(ctx.req), blockedForSeconds }, message);
  };

  // A page of another site can make a browser send a wrong key, which must not block the person in front of it.
  const who = ({ ip, req }: Context) => ({ address: ip, isCrossSite: req.headers['sec-fetch-site'] === 'cross-site' });

  /** Resolves with why a request is refused; undefined lets it pass. */
  const reasonAgainst = async (ctx: Context): Promise<Refusal | undefined> => {
    if (isCrossSite(ctx.req)) {
      warn(ctx, 'a cross-site request to the administration was refused');
      return refusal('cross_site');
    }
    const { authorization } = ctx.req.headers;
    // Whoever sends no key guesses none: the route asks for one.
    if (authorization === undefined) return undefined;
    const isRight = authenticator.authenticate(authorization) !== undefined;
    // Counting takes no turn of the event loop, so that guesses which arrive together are counted one by one.
    const { wasBlocked, blockedFor } = isRight ? await logins.statusOf(who(ctx)) : await logins.add(who(ctx));
    if (wasBlocked) return { code: 'too_many_attempts', headers: { 'Retry-After': String(blockedFor) } };
    if (isRight) return undefined;
    warn(ctx, 'a login of an administrator was refused', blockedFor === 0 ? undefined : blockedFor);
    await logins.delay();
    return { code: 'client_unauthorized', headers: { 'WWW-Authenticate': authenticator.challenge(authorization) } };
  };

  return async (ctx, next) => {
    const started = performance.now();
    const reason = await reasonAgainst(ctx);
    if (reason === undefined) return next();
    const { route, operation } = find(ctx);
    ctx.state.operation = operation;
    ctx.state.code = reason.code;
    refuse(ctx, reason);
    for (const observe of observers) observe(ctx, route, performance.now() - started);
  };
};
