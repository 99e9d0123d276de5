import type Koa from 'koa';
import type { HealthReport } from '../../../../application/health.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { createService } from '../../api/http-service.ts';
import type { ImmediateAuthenticator } from '../../authentication/authenticator.ts';
import type { ApiInformation } from '../../openapi/openapi-document.ts';
import type { AdminSite } from '../../pages/operator-pages.ts';
import type { Observer } from '../../server/pipeline.ts';
import { accessGuard } from './access-guard.ts';
import type { AdministrationFeatures } from './administered-user.ts';
import { administrationRoutes } from './administration-routes.ts';
import { FailedLogins } from './failed-logins.ts';
import { pageRoutes } from './pages/administration-pages.ts';
import { FormTokens } from './pages/page-inputs.ts';
import type { Buses } from './user-action.ts';

/** What the administration of a process keeps while its configuration is replaced. */
export class AdministrationMemory {
  readonly logins = new FailedLogins();
  readonly tokens = new FormTokens();
}

export interface AdministrationParts extends Buses, AdministrationFeatures {
  /** Authenticates administrators. */
  readonly authenticator: ImmediateAuthenticator;
  /** Called after each request. */
  readonly observers: readonly Observer[];
  /** What the OpenAPI document says besides the routes; null if none is published. */
  readonly information: ApiInformation | null;
  /** Returns the memory of this process, which `create` makes at the first call. */
  readonly memory: (create: () => AdministrationMemory) => AdministrationMemory;
  readonly operationTimeoutMs: number;
  readonly log: Log;
}

/** Serves `/admin` and everything below it, pages for people and the API, and `/` to administrators. */
export const administration = (
  parts: AdministrationParts,
  site: AdminSite,
  health: () => Promise<HealthReport>,
): Koa => {
  const { authenticator, observers, information, operationTimeoutMs, log } = parts;
  const { tokens, logins } = parts.memory(() => new AdministrationMemory());
  const { routes: api, actions, names, creation } = administrationRoutes(parts, information);
  const routes = [
    ...api,
    ...pageRoutes(
      {
        ...parts,
        names,
        tokens,
        site,
        health,
        challenge: authenticator.challenge(undefined),
      },
      actions,
      creation,
    ),
  ];
  return createService({
    routes,
    authenticator,
    operationTimeoutMs,
    observers,
    log,
    errorPages: site.errorPages,
    before: [accessGuard({ authenticator, routes, logins, log })],
  });
};
