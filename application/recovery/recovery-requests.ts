import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { isKey } from '../../domain/email-address.ts';
import { isUserName, type UserKey } from '../../domain/user-name.ts';
import type { CommandBus } from '../bus.ts';
import { Fault } from '../fault.ts';
import { type DeliveryResult, DeliveryTarget } from '../ports/delivery-target.ts';
import type { ClaimedEvent } from '../ports/event-outbox.ts';
import type { Log } from '../ports/log.ts';
import { type RecoveryRequest, recoveryDestination } from './request-recovery.ts';

/** Short, because a person waits for the mail. */
const maxRetryDelayMs = 60_000;

const isUserKey = (value: unknown): value is UserKey =>
  isKey(value) || (typeof value === 'string' && isUserName(value));

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

const requestIn = ({ body, time }: ClaimedEvent): RecoveryRequest | undefined => {
  try {
    const decoded = storedRequest.decode(JSON.parse(body));
    return isLeft(decoded) ? undefined : { requestedTime: time, ...decoded.right };
  } catch {
    return undefined;
  }
};

/**
 * Answers stored requests for a recovery, each by IssueRecovery. A request for an unknown or disabled user, or soon after
 * another one, ends without a trace. A request that is answered twice, because the process died in between, is mailed
 * once.
 */
export class RecoveryRequests extends DeliveryTarget {
  readonly destination = recoveryDestination;
  readonly host = 'recovery';
  readonly maxRetryDelayMs = maxRetryDelayMs;
  readonly messages = {
    available: 'requests for a recovery are answered again',
    unavailable: 'requests for a recovery cannot be answered; they are retried later',
    rejected: 'a request for a recovery cannot be answered; it is retried later',
    expired: 'requests for a recovery that could not be answered',
  };

  private hasWarned = false;

  constructor(
    private readonly commands: CommandBus,
    /** Of one request, in milliseconds. */
    readonly timeoutMs: number,
    /** The age at which a request is dropped: it is that of the token that it asks for. */
    private readonly lifetimeMs: number,
    private readonly log: Log,
    /** Identifies the configuration of the recovery in this service. */
    private readonly configuration: string,
  ) {
    super();
  }

  get stopTimeoutMs(): number {
    return this.timeoutMs;
  }

  async send(event: ClaimedEvent, now: number): Promise<DeliveryResult> {
    if (now >= this.expiryOf(event)) return { outcome: 'expired' };
    const request = requestIn(event);
    // Kept for the process that can read it, while processes of two versions run.
    if (request === undefined) return { outcome: 'rejected', reason: 'the request cannot be read', retryAfterMs: 0 };
    const { configuration = this.configuration, ...asked } = request;
    if (configuration !== this.configuration) this.warnOnce();
    try {
      const issued = await this.commands.dispatch({ type: 'IssueRecovery', ...asked });
      if (isLeft(issued) && issued.left.code === 'contended')
        return { outcome: 'rejected', reason: 'others kept changing the user', retryAfterMs: 0 };
      return { outcome: 'delivered' };
    } catch (error) {
      return this.resultOf(error);
    }
  }

  private warnOnce(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.log.warn(
      {},
      'another service on this database has another block recovery, or another server.publicUrl: links and codes that one sends may not work at the other; configure them equally',
    );
  }

  /** A user that the store cannot read must not delay the requests of others; the log says which field is damaged. */
  private resultOf(error: unknown): DeliveryResult {
    if (!(error instanceof Fault)) throw error;
    const { code, message: reason, record } = error;
    // A store also rejects every request where its table or a permission is missing: kept until it is repaired.
    if (record === undefined)
      return { outcome: code === 'store_rejected' ? 'ambiguous' : 'failed', reason, retryAfterMs: 0 };
    this.log.warn(
      { reason, record },
      'a request for a recovery was dropped, because the record of the user is damaged',
    );
    return { outcome: 'refused', reason };
  }

  /** Requests share only the database. */
  laneOf(): undefined {}

  expiryOf({ time }: ClaimedEvent): number {
    return time + this.lifetimeMs;
  }

  /** The timeout of the bus ends a request in progress. */
  abort(): void {}
}
