import { randomInt, randomUUID } from 'node:crypto';
import { chainW, type Either, isLeft } from 'fp-ts/lib/Either.js';
import { parse } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import type { Failure } from '../../domain/failure.ts';
import { Fault } from '../fault.ts';
import { type DeliveryMessages, type DeliveryResult, DeliveryTarget } from '../ports/delivery-target.ts';
import type { ClaimedEvent, EventOutbox, QueuedEvent } from '../ports/event-outbox.ts';
import type { Log } from '../ports/log.ts';

/**
 * The longest delay of a stored request, in milliseconds. What it leads to depends on whether the address is known, and slows
 * the other requests of the process for a moment. After a delay that callers cannot predict, they do not learn which
 * request that belongs to without watching for the whole time.
 */
export const maxRequestDelayMs = 2_000;

const maxLanguages = 8;
const maxLanguageLength = 35;

/** The languages of a request that are stored with it. */
export const limitedLanguages = (languages: readonly string[]): readonly string[] =>
  languages.filter(({ length }) => length <= maxLanguageLength).slice(0, maxLanguages);

/** The record of a request that is answered after a random delay. */
export const delayedRequest = (destination: string, request: { readonly requestedTime: number }): QueuedEvent => {
  const time = request.requestedTime + randomInt(maxRequestDelayMs + 1);
  return { id: `${time}-${randomUUID()}`, destination, time, body: JSON.stringify(request) };
};

/** Answers per second, at least: a process works on 16 requests at once, and a slow database needs seconds for one. */
const minAnswersPerSecond = 5;
/** Bounds the cost of counting the requests that wait, and how long a person waits for the mail. */
const maxWaiting = 5_000;
const recountAfterMs = 1_000;
const retryAfterSeconds = 30;

/**
 * Refuses a request while so many wait that it would not be answered before it expires. The requests of all processes are
 * counted, whatever address they are for, so that a refusal does not reveal whether a user exists.
 */
export class RequestBacklog {
  private readonly limit: number;
  private counted: Promise<number> | undefined;
  private countedAtMs = 0;
  /** The requests of this process since then. */
  private added = 0;

  constructor(
    private readonly outbox: Pick<EventOutbox, 'pending'>,
    private readonly destination: string,
    /** What waits, for operators. */
    private readonly name: string,
    lifetimeMs: number,
  ) {
    this.limit = Math.min(maxWaiting, Math.ceil((lifetimeMs / 1_000) * minAnswersPerSecond));
  }

  /** Throws a Fault if no other request can be stored now. */
  async admit(): Promise<void> {
    if (this.counted === undefined || performance.now() - this.countedAtMs >= recountAfterMs) {
      this.countedAtMs = performance.now();
      this.added = 0;
      this.counted = this.outbox.pending(this.destination, this.limit);
    }
    this.added++;
    const { counted, added } = this;
    try {
      if ((await counted) + added <= this.limit) return;
    } catch (error) {
      this.counted = undefined;
      throw error;
    }
    throw new Fault('overloaded', `too many ${this.name} are waiting`, { retryAfterSeconds });
  }
}

const rejected = (reason: string): DeliveryResult => ({ outcome: 'rejected', reason, retryAfterMs: 0 });

/** What the answers to stored requests of one kind have in common. */
export abstract class DelayedRequests<Request> extends DeliveryTarget {
  /** Short, because a person waits for the mail. */
  readonly maxRetryDelayMs = 60_000;
  readonly messages: DeliveryMessages;

  constructor(
    /** What is answered, for operators, in the plural and in the singular. */
    names: readonly [all: string, one: string],
    private readonly codec: t.Decoder<unknown, Request>,
    /** Of one request, in milliseconds. */
    readonly timeoutMs: number,
    /** The age at which a request is dropped. */
    private readonly lifetimeMs: number,
    protected readonly log: Log,
  ) {
    super();
    const [all, one] = names;
    this.messages = {
      available: `${all} are answered again`,
      unavailable: `${all} cannot be answered; they are retried later`,
      rejected: `${one} cannot be answered; it is retried later`,
      expired: `${all} that could not be answered`,
    };
    this.dropped = `${one} was dropped, because the record of the user is damaged`;
  }

  private readonly dropped: string;

  get stopTimeoutMs(): number {
    return this.timeoutMs;
  }

  async send(event: ClaimedEvent, now: number): Promise<DeliveryResult> {
    if (now >= this.expiryOf(event)) return { outcome: 'expired' };
    const request = this.requestIn(event);
    // Kept for the process that can read it, while processes of two versions run.
    if (request === undefined) return rejected('the request cannot be read');
    try {
      const answered = await this.answer(request, event);
      const isContended = isLeft(answered) && answered.left.code === 'contended';
      return isContended ? rejected('others kept changing the user') : { outcome: 'delivered' };
    } catch (error) {
      return this.resultOf(error);
    }
  }

  /** Every refusal but `contended` is an answer. Throws the Faults of use cases. */
  protected abstract answer(request: Request, event: ClaimedEvent): Promise<Either<Failure, unknown>>;

  private requestIn({ body }: ClaimedEvent): Request | undefined {
    const decoded = chainW((value) => this.codec.decode(value))(parse(body));
    return isLeft(decoded) ? undefined : decoded.right;
  }

  /** A user that the store cannot read must not delay the requests of others; the log says which field is damaged. */
  private resultOf(error: unknown): DeliveryResult {
    if (!(error instanceof Fault)) throw error;
    const { code, message: reason, record } = error;
    // A store also rejects every request where its table or a permission is missing: kept until it is repaired.
    if (record === undefined)
      return { outcome: code === 'store_rejected' ? 'ambiguous' : 'failed', reason, retryAfterMs: 0 };
    this.log.warn({ reason, record }, this.dropped);
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
