import type { ClaimedEvent, Lease, QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { Trouble } from './errors.ts';
import type { Row } from './row.ts';

/** A change of a user, with the events that are written with it or not at all. */
export type Change =
  | {
      readonly kind: 'insert';
      readonly key: EmailKey;
      readonly row: Row;
      readonly events?: readonly QueuedEvent[] | undefined;
    }
  | {
      readonly kind: 'replace';
      readonly previous: EmailKey;
      readonly version: string;
      readonly key: EmailKey;
      readonly row: Row;
      readonly events?: readonly QueuedEvent[] | undefined;
    }
  | {
      readonly kind: 'remove';
      readonly previous: EmailKey;
      readonly version: string;
      readonly events?: readonly QueuedEvent[] | undefined;
    };

/** A write of the queue of events. */
export type QueueWrite =
  | { readonly kind: 'claim'; readonly destination: string; readonly limit: number; readonly lease: Lease }
  | { readonly kind: 'delivered'; readonly event: ClaimedEvent }
  | { readonly kind: 'postpone'; readonly event: ClaimedEvent; readonly due: number }
  | { readonly kind: 'expire'; readonly before: number; readonly limit: number };

/** One write, as it is sent to the writing thread. `check` changes nothing and proves that a write would be durable. */
export type Write = Change | QueueWrite | { readonly kind: 'check' };

/** How many events were removed for each destination. */
export interface Expired {
  readonly expired: ReadonlyMap<string, number>;
}

/**
 * What became of a write; a claim gives what it claimed, and `expire` what it removed. Outcomes are known; after a
 * Trouble the write may or may not have been applied.
 */
export type Outcome = 'done' | 'taken' | 'stale' | readonly ClaimedEvent[] | Expired;
export type Result = Outcome | Trouble;

/** Whether a write may have failed. */
export const isTrouble = (result: Result): result is Trouble => typeof result === 'object' && 'reason' in result;

/** What the main thread sends: the writes of a group, or that there will be no more. */
export type Request = readonly Write[] | 'close';
/** What the writing thread answers: the result of each write of the group, in its order. */
export type Reply = readonly Result[];

/** How the writing thread finds its database; `patience` in milliseconds. */
export interface WriterOptions {
  readonly path: string;
  readonly patience: number;
}
