import type { AdministrationParts } from '../../adapters/http/admin/administration/index.ts';
import type { Audit } from '../../adapters/http/server/request-audit.ts';
import { requestLog } from '../../adapters/http/server/request-log.ts';
import { AdministrationBus } from '../../application/bus.ts';
import { DeleteUserHandler } from '../../application/commands/delete-user.ts';
import { ResetVerificationHandler } from '../../application/commands/reset-verification.ts';
import type { Interceptor } from '../../application/interceptor.ts';
import { unrestricted } from '../../application/passwords/authorizer.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Clock } from '../../application/ports/runtime.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { GetUserHandler } from '../../application/queries/get-user.ts';
import { ListUsersHandler } from '../../application/queries/list-users.ts';
import type { DomainEvents } from '../../application/users/domain-events.ts';
import { OptimisticUpdate } from '../../application/users/optimistic-update.ts';
import type { Configuration } from '../configuration/index.ts';

/** What the administration shares with the service, or has for itself where the service runs in other processes. */
export interface AdministrationAdapters {
  readonly store: StorePorts;
  readonly clock: Clock;
  /** Null if no webhook is configured. */
  readonly events: DomainEvents | null;
  /** Null where requests are not audited. */
  readonly audit: Audit | null;
  /** Wraps every message. */
  readonly around: Interceptor;
}

/** The use cases of administrators: those of everybody, and nobody is asked for the password of a user. */
const busOf = ({ store, clock, events, around }: AdministrationAdapters): AdministrationBus => {
  const change = new OptimisticUpdate(store.users, events);
  return new AdministrationBus(
    {
      GetUser: new GetUserHandler(store.users, unrestricted),
      ListUsers: new ListUsersHandler(store.listing),
      DeleteUser: new DeleteUserHandler(change, unrestricted),
      ResetVerification: new ResetVerificationHandler(change, unrestricted, clock),
    },
    around,
  );
};

/** Opens what `/admin` needs; null where there are no keys of administrators. */
export const administrationOf = (
  { admin, logging }: Configuration,
  adapters: () => Promise<AdministrationAdapters>,
  log: Log,
): (() => Promise<AdministrationParts>) | null => {
  if (admin.keys.length === 0) return null;
  return async () => {
    const opened = await adapters();
    const observers = [requestLog(log, logging.requests), ...(opened.audit === null ? [] : [opened.audit.observe])];
    return { bus: busOf(opened), keys: admin.keys, observers, log };
  };
};
