import { type Either, isRight, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { guarded } from '../../domain/codec.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import { isUserKey, type UserKey } from '../../domain/user-name.ts';
import type { AboutUser } from '../administration/administrator.ts';
import type { CommandBus } from '../bus.ts';
import { DelayedRequests, delayedRequest, limitedLanguages } from '../outgoing/delayed-requests.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClaimedEvent, EventOutbox } from '../ports/event-outbox.ts';
import type { Log } from '../ports/log.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface RequestRecovery {
  readonly type: 'RequestRecovery';
  readonly key: UserKey;
  /** The languages of the request, in order of preference (RFC 5646). */
  readonly languages: readonly string[];
}

/** Nothing: the result is the same for every address. */
export type RequestRecoveryResult = Either<Failure<never>, undefined>;

/** The same by an administrator. */
export interface StartRecovery extends AboutUser {
  readonly type: 'StartRecovery';
}

export type StartRecoveryResult = Either<Failure<'user_not_found'>, StoredUser>;

const storedKey = guarded('UserKey', isUserKey);

/**
 * What is stored about a request until it is answered by IssueRecovery. `requestedTime`, in milliseconds since the epoch, is
 * absent in requests of versions that answered at once. `configuration` identifies the configuration of the service that
 * stored it, and is absent in requests that administrators made with earlier versions.
 */
const storedRequest = t.intersection([
  t.type({ key: storedKey, languages: t.readonlyArray(t.string) }),
  t.partial({ requestedTime: t.number, configuration: t.string }),
]);

type StoredRequest = t.TypeOf<typeof storedRequest>;

declare module '../bus.ts' {
  interface Commands {
    readonly RequestRecovery: OptionalUseCase<RequestRecovery, RequestRecoveryResult>;
    readonly StartRecovery: OptionalUseCase<StartRecovery, StartRecoveryResult>;
  }
}

/** The destination of stored requests in the outbox. No webhook has it. */
export const recoveryDestination = 'recovery';

/**
 * Stores a request for a recovery, and reads nothing about the user: neither the response nor its time depends on
 * whether the address is known. The stored request is answered, and the mail sent, after a random delay. Throws a Fault
 * while too many requests wait.
 */
export class RequestRecoveryHandler {
  constructor(
    private readonly outbox: Pick<EventOutbox, 'add'>,
    /** Throws a Fault while too many requests wait. */
    private readonly backlog: { admit(): Promise<void> },
    private readonly clock: Clock,
    /** Identifies the configuration of the recovery in this service. */
    private readonly configuration: string,
  ) {}

  async handle({ key, languages }: RequestRecovery): Promise<RequestRecoveryResult> {
    await this.backlog.admit();
    await this.store(key, languages);
    return right(undefined);
  }

  /** Stores a request, however many wait. */
  async store(key: UserKey, languages: readonly string[]): Promise<void> {
    const requestedTime = this.clock.now();
    const { configuration } = this;
    const request = { key, languages: limitedLanguages(languages), requestedTime, configuration };
    await this.outbox.add([delayedRequest(recoveryDestination, request)]);
  }
}

/** Requests a recovery for an administrator, who learns whether the user exists. The mail follows as for a user. */
export class StartRecoveryHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly requests: Pick<RequestRecoveryHandler, 'store'>,
  ) {}

  async handle({ key }: StartRecovery): Promise<StartRecoveryResult> {
    const found = await anyCaller(await this.users.find(key));
    if (isRight(found)) await this.requests.store(keyOf(found.right.user.email.address), []);
    return found;
  }
}

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
    /** How long the requested token is valid. */
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
