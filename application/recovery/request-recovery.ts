import { randomInt } from 'node:crypto';
import { type Either, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventOutbox } from '../ports/event-outbox.ts';

export interface RequestRecovery {
  readonly type: 'RequestRecovery';
  readonly key: EmailKey;
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
 * The longest delay of a stored request, in milliseconds. Only a known address costs a write and a mail, which slow the
 * other requests of the process for a moment. After a delay that callers cannot predict, they do not learn which request
 * that belongs to without watching for the whole time.
 */
export const maxRequestDelayMs = 2_000;

const maxLanguages = 8;
const maxLanguageLength = 35;

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
    /** Returns a new unique id. */
    private readonly newId: () => string,
    /** Identifies the configuration of the recovery in this service. */
    private readonly configuration?: string,
  ) {}

  async handle({ key, languages }: RequestRecovery): Promise<RequestRecoveryResult> {
    await this.backlog.admit();
    await this.store(key, languages);
    return right(undefined);
  }

  /** Stores a request, however many wait. */
  async store(key: EmailKey, languages: readonly string[]): Promise<void> {
    const requestedTime = this.clock.now();
    const time = requestedTime + randomInt(maxRequestDelayMs + 1);
    const limited = languages.filter(({ length }) => length <= maxLanguageLength).slice(0, maxLanguages);
    const { configuration } = this;
    const request: RecoveryRequest = { key, languages: limited, requestedTime, configuration };
    const id = `${time}-${this.newId()}`;
    await this.outbox.add([{ id, destination: recoveryDestination, time, body: JSON.stringify(request) }]);
  }
}
