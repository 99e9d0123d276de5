import type { ClaimedEvent } from './event-outbox.ts';

/** The result of one delivery attempt. A `reason` is for operators and contains no value of an event. */
export type DeliveryResult =
  /** Done. The event is removed. */
  | { readonly outcome: 'delivered' }
  /** The time of the event is over, or it cannot be read: it is removed without an attempt. */
  | { readonly outcome: 'expired' }
  /** The recipient had enough of its kind: it is removed without an attempt. */
  | { readonly outcome: 'limited' }
  /** The receiver is available and refuses this event for good: it is removed. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /**
   * `rejected`: this event failed, after the receiver was told of it, which says nothing about others. `failed`: the
   * receiver is unavailable for every event. `ambiguous`: one or the other, after the receiver was told of the event;
   * several different events in a row count as a failure of the receiver. It is retried.
   */
  | {
      readonly outcome: 'rejected' | 'failed' | 'ambiguous';
      readonly reason: string;
      /** The delay that the receiver asks for, in milliseconds; 0 if it asks for none. */
      readonly retryAfterMs: number;
    };

/** What the log says about a target. */
export interface DeliveryMessages {
  /** The target accepts events after an outage. */
  readonly available: string;
  readonly unavailable: string;
  /** The target rejected one event, which is retried. */
  readonly rejected: string;
  /** The events that were removed because they were too old, such as `events that a webhook did not accept`. */
  readonly expired: string;
}

/** Where the events of one destination are delivered: a webhook, the mailer, or a use case of the service itself. */
export abstract class DeliveryTarget {
  /** Identifies the destination in the stored events. */
  abstract readonly destination: string;

  /** Names the target for operators, such as the host of a webhook. */
  abstract readonly host: string;

  /** How long an attempt takes at most, in milliseconds. Other processes do not claim the event during that time. */
  abstract readonly timeoutMs: number;

  /** How long a stop waits for attempts in progress before it aborts them, in milliseconds, if it has that much time. */
  abstract readonly stopTimeoutMs: number;

  /** The longest delay between two attempts for an event, in milliseconds. */
  abstract readonly maxRetryDelayMs: number;

  abstract readonly messages: DeliveryMessages;

  /**
   * What an event shares with others that may be slow to deliver, such as the domain of a recipient; undefined where
   * nothing is shared. Slow events of one lane do not delay those of others.
   */
  abstract laneOf(event: ClaimedEvent): string | undefined;

  /**
   * Attempts one delivery; `now` is in milliseconds since the epoch. Throws only where the event itself cannot be
   * processed, such as a damaged one: it is logged and retried, and delays no others.
   */
  abstract send(event: ClaimedEvent, now: number): Promise<DeliveryResult>;

  /** When an event expires, in milliseconds since the epoch: a retry is due then at the latest. Infinity if never. */
  abstract expiryOf(event: ClaimedEvent): number;

  /** When an event is due that is postponed to a time, in milliseconds since the epoch: a whole number, and not earlier. */
  postponedTo(time: number): number {
    return Math.ceil(time);
  }

  /** When a claim ends that lasts until a time. */
  leaseEnd(time: number): number {
    return time;
  }

  /** Aborts the attempts in progress, because the process stops. */
  abstract abort(): void;
}
