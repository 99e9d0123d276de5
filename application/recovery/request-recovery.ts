import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { UserKey } from '../../domain/user-name.ts';
import type { AboutUser } from '../administration/administrator.ts';
import { delayedRequest, limitedLanguages } from '../outgoing/delayed-requests.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventOutbox } from '../ports/event-outbox.ts';
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

/** What is stored about a request until it is answered by IssueRecovery. */
export type RecoveryRequest = Pick<RequestRecovery, 'key' | 'languages'> & {
  /** When it was made, in milliseconds since the epoch. */
  readonly requestedTime: number;
  /** Identifies the configuration of the service that stored it; absent if an administrator asked. */
  readonly configuration?: string | undefined;
};

declare module '../bus.ts' {
  interface Commands {
    readonly RequestRecovery: OptionalUseCase<RequestRecovery, RequestRecoveryResult>;
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
    private readonly configuration?: string,
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
    const request: RecoveryRequest = { key, languages: limitedLanguages(languages), requestedTime, configuration };
    await this.outbox.add([delayedRequest(recoveryDestination, request)]);
  }
}

export interface StartRecovery extends AboutUser {
  readonly type: 'StartRecovery';
}

export type StartRecoveryResult = Either<Failure<'user_not_found'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly StartRecovery: OptionalUseCase<StartRecovery, StartRecoveryResult>;
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
    if (!isLeft(found)) await this.requests.store(keyOf(found.right.user.email.address), []);
    return found;
  }
}
