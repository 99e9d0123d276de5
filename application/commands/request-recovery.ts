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
export type RecoveryRequest = Pick<RequestRecovery, 'key' | 'languages'>;

declare module '../bus.ts' {
  interface Recovery {
    readonly RequestRecovery: UseCase<RequestRecovery, RequestRecoveryResult>;
  }
}

/** The destination of stored requests in the outbox. No webhook has it. */
export const recoveryDestination = 'recovery';

const maxLanguages = 8;
const maxLanguageLength = 35;

/**
 * Stores a request for a recovery, and reads nothing about the user: neither the response nor its time depends on
 * whether the address is known. The mail is sent later, when the stored request is answered.
 */
export class RequestRecoveryHandler {
  constructor(
    /** Null if the caller sends the tokens: then no request is stored. */
    private readonly outbox: Pick<EventOutbox, 'add'> | null,
    private readonly clock: Clock,
    /** Returns a new unique id. */
    private readonly newId: () => string,
    /** Called after a request was stored, so that it does not wait for the next poll. */
    private readonly stored: () => void,
  ) {}

  async handle({ key, languages }: RequestRecovery): Promise<RequestRecoveryResult> {
    if (this.outbox === null) throw new TypeError('requests are stored only if the service sends the mails');
    const time = this.clock.now();
    const limited = languages.filter(({ length }) => length <= maxLanguageLength).slice(0, maxLanguages);
    const request: RecoveryRequest = { key, languages: limited };
    const id = `${time}-${this.newId()}`;
    await this.outbox.add([{ id, destination: recoveryDestination, time, body: JSON.stringify(request) }]);
    this.stored();
    return right(undefined);
  }
}
