import { isLeft } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import type { Authenticator } from '../authentication/authenticator.ts';
import { readBody } from '../server/request-body.ts';
import { refuse, send } from '../server/response.ts';
import type { Refusal } from './problems.ts';
import type { Route } from './route.ts';

/** Answers a request to a route. */
export type Endpoint = (ctx: Context) => Promise<void>;

/** A route as Koa runs it: authenticate, read the body, decode and dispatch, present. */
export const endpoint = (route: Route, authenticator: Authenticator): Endpoint => {
  const { authenticated, body, refusesWithPage } = route;
  const refused = (ctx: Context, reason: Refusal): void => {
    ctx.state.code = reason.code;
    refuse(ctx, reason, refusesWithPage?.(ctx.request) ?? false);
  };
  return async (ctx) => {
    const { state } = ctx;
    state.route = route;
    if (authenticated) {
      const { authorization } = ctx.req.headers;
      const found = authenticator.authenticate(authorization);
      // Awaiting a value that is known already would cost every request a turn of the microtask queue.
      const client = found instanceof Promise ? await found : found;
      if (client === undefined) {
        const headers = { 'WWW-Authenticate': authenticator.challenge(authorization) };
        return refused(ctx, { code: 'client_unauthorized', headers });
      }
      state.client = client;
    }
    const sent = body === undefined ? undefined : await readBody(ctx);
    if (sent !== undefined && isLeft(sent)) return refused(ctx, sent.left);
    state.body = sent?.right;
    const outcome = await route.run(ctx.request, sent?.right);
    if (isLeft(outcome)) return refused(ctx, outcome.left);
    send(ctx, outcome.right);
  };
};
