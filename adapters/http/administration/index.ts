import type { Middleware } from 'koa';
import type { AdministrationBus } from '../../../application/buses.ts';
import type { Log } from '../../../application/ports/adapter.ts';
import { type BasicKey, basicAuthenticator } from '../authentication/basic.ts';
import { refusal, refuse } from '../problems.ts';
import { type LoggedRequests, requestLog } from '../request-log.ts';
import { createService } from '../service.ts';
import { discreet, watched } from './discretion.ts';
import { administrationRoutes } from './routes.ts';
import { isCrossSite } from './same-site.ts';

/** What the administration is made of. */
export interface AdministrationParts {
  readonly bus: AdministrationBus;
  /** Those who may administrate. */
  readonly keys: readonly BasicKey[];
  readonly log: Log;
  readonly requests: LoggedRequests;
}

/** Serves `/admin` and everything below it, on the admin port. */
export const administration = ({ bus, keys, log, requests }: AdministrationParts): Middleware => {
  const quiet = discreet(log);
  const api = createService({
    routes: administrationRoutes(bus),
    authenticator: watched(basicAuthenticator(keys, 'latchkey admin'), log),
    documentation: null,
    observers: [requestLog(quiet, requests)],
    tracer: null,
    log: quiet,
    trustProxy: false,
    cors: null,
  }).callback();
  return async (ctx) => {
    if (isCrossSite(ctx.req)) return refuse(ctx, refusal('cross_site'), false);
    // The application of the API answers by itself.
    ctx.respond = false;
    await api(ctx.req, ctx.res);
  };
};
