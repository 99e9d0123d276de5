/** A domain event for one destination, which a store keeps until it is delivered. */
export interface QueuedEvent {
  /** Unique and the same for every delivery attempt. At most 64 characters of ASCII. */
  readonly id: string;
  /** The receiver: at most 32 letters and digits. */
  readonly destination: string;
  /** When it happened, in milliseconds since the epoch. It is due from then on. */
  readonly time: number;
  /** The JSON object to send, of some hundred bytes. */
  readonly body: string;
}

/** An event that one process may deliver until its lease ends. */
export interface ClaimedEvent extends QueuedEvent {
  /** The number of claims, this one included. */
  readonly attempts: number;
  /** Where the store keeps the event, opaque. */
  readonly receipt: string;
}

/** An undelivered event. `attempts` is the number of claims so far. */
export interface WaitingEvent extends ClaimedEvent {
  /** When it may be claimed next, in milliseconds since the epoch; while it is claimed, the end of the lease. */
  readonly due: number;
}

/** One page of undelivered events. */
export interface WaitingEvents {
  readonly events: readonly WaitingEvent[];
  /** The `after` of the next page, opaque and at most 768 bytes of UTF-8; undefined if this is the last one. */
  readonly next: string | undefined;
}

/** How much longer than its attempt a claimed event stays hidden from other processes. */
export const leaseMarginMs = 5_000;

/** The period of a claim, in milliseconds since the epoch. */
export interface Lease {
  readonly now: number;
  readonly until: number;
  /** Claims the newest events instead, as far as the store can, so that they do not wait for older ones that fail. */
  readonly newestFirst?: boolean;
}

/**
 * The events that a store keeps until they are delivered. UserStore writes those of its changes together with them. Several
 * processes may use one outbox. Every method throws a Fault, as those of UserStore do. Resources that only events need,
 * such as another table, may be missing until the first call or the first written event.
 *
 * Once they are written, events and users do not affect each other, also in one record: an event does not change the version
 * of the user, and a write of a user that was read before neither brings a delivered event back nor ends a claim.
 */
export abstract class EventOutbox {
  /**
   * Stores events that belong to no change of a user: all of them, or none. They are durable when it resolves, and none
   * is stored twice although a lost response was repeated. Does nothing for an empty list.
   */
  abstract add(events: readonly QueuedEvent[]): Promise<void>;

  /**
   * Claims at most `limit` events of a destination that are due, oldest first as far as the store knows. They are not
   * due again before the lease ends, so that no event is lost when the process dies. Several processes claim at the same
   * time: find and lock in one step, such as `SELECT … FOR UPDATE SKIP LOCKED`.
   */
  abstract claim(destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]>;

  /** Removes a delivered event, if it still exists, whoever has claimed it since. */
  abstract done(event: ClaimedEvent): Promise<void>;

  /** Sets when an event is due, in milliseconds since the epoch, unless its `attempts` say that it was claimed since. */
  abstract postpone(event: ClaimedEvent, due: number): Promise<void>;

  /** The number of undelivered events of a destination, due or not, counted up to `most`. */
  abstract pending(destination: string, most: number): Promise<number>;

  /**
   * The undelivered events of a destination, due or not, without claiming them: oldest first as far as the store knows.
   * `limit` is the size of a page; a store that keeps several events in one record may count records.
   */
  abstract list(destination: string, limit: number, after?: string): Promise<WaitingEvents>;

  /**
   * The destinations of which there are undelivered events, each once; those of new events may be missing for a moment. It
   * also works where resources for events are missing.
   */
  abstract destinations(): Promise<readonly string[]>;

  /**
   * Removes events of every destination, claimed ones too, that happened before a time in milliseconds since the epoch.
   * `limit` bounds one call; a store that keeps several events in one record may count records. Resolves with the
   * number of removed events by destination, without those that another process removed first; an empty map means that
   * none are left.
   */
  abstract expire(before: number, limit: number): Promise<ReadonlyMap<string, number>>;
}

/** The number of events by destination, as `expire` returns it. */
export const countByDestination = (
  events: readonly Pick<QueuedEvent, 'destination'>[],
): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { destination } of events) counts.set(destination, (counts.get(destination) ?? 0) + 1);
  return counts;
};
