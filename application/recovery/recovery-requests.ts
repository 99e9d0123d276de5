import * as t from 'io-ts';
import { isUserKey, type UserKey } from '../../domain/user-name.ts';
import type { CommandBus } from '../bus.ts';
import { DelayedRequests } from '../outgoing/delayed-requests.ts';
import type { ClaimedEvent } from '../ports/event-outbox.ts';
import type { Log } from '../ports/log.ts';
import { recoveryDestination } from './request-recovery.ts';

const storedKey = new t.Type<UserKey, string, unknown>(
  'UserKey',
  isUserKey,
  (value, context) => (isUserKey(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
);

const storedRequest = t.intersection([
  t.type({ key: storedKey, languages: t.readonlyArray(t.string) }),
  // Absent in requests of versions that answered at once.
  t.partial({ requestedTime: t.number, configuration: t.string }),
]);

type StoredRequest = t.TypeOf<typeof storedRequest>;

/**
 * Answers stored requests for a recovery, each by IssueRecovery. A request for an unknown or disabled user, or soon after
 * another one, ends without a trace. A request that is answered twice, because the process died in between, is mailed
 * once.
 */
export class RecoveryRequests extends DelayedRequests<StoredRequest> {
  readonly destination = recoveryDestination;
  readonly host = 'recovery';
  private hasWarned = false;

  constructor(
    private readonly commands: CommandBus,
    timeoutMs: number,
    /** That of the token that is asked for. */
    lifetimeMs: number,
    log: Log,
    /** Identifies the configuration of the recovery in this service. */
    private readonly configuration: string,
  ) {
    super(['requests for a recovery', 'a request for a recovery'], storedRequest, timeoutMs, lifetimeMs, log);
  }

  protected answer({ configuration = this.configuration, ...asked }: StoredRequest, { time }: ClaimedEvent) {
    if (configuration !== this.configuration) this.warnOnce();
    return this.commands.dispatch({ type: 'IssueRecovery', requestedTime: time, ...asked });
  }

  private warnOnce(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.log.warn(
      {},
      'another service on this database has another block recovery, or another server.publicUrl: links and codes that one sends may not work at the other; configure them equally',
    );
  }
}
