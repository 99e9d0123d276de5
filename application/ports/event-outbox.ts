/** An event on its way to one destination, as a store keeps it beside the change that it tells of. */
export interface QueuedEvent {
  /** Unique; the same for every attempt to deliver it. At most 64 characters of ASCII. */
  readonly id: string;
  /** Who gets it: at most 32 letters and digits. */
  readonly destination: string;
  /** When it happened, in milliseconds since the epoch; from then on it is due. */
  readonly time: number;
  /** What is sent: a JSON object of some hundred bytes. */
  readonly body: string;
}

/** An event that was taken from the queue for a while, to be delivered. */
export interface ClaimedEvent extends QueuedEvent {
  /** How often it was claimed so far, this time included. */
  readonly attempts: number;
  /** The store's own word for where it keeps the event. */
  readonly receipt: string;
}

/** When events are claimed, and until when no one else gets them; both in milliseconds since the epoch. */
export interface Lease {
  readonly now: number;
  readonly until: number;
}

/**
 * The events that a store keeps until they are delivered. The UserStore writes them together with its changes. Several
 * processes may use one outbox. Every method throws a Fault, as those of UserStore do. What a store needs for events
 * alone, such as another table, is needed from the first call on.
 */
export abstract class EventOutbox {
  /**
   * Takes at most `limit` events of a destination that are due, the oldest first as far as the store knows. They are
   * not due again before the lease ends: whoever claims them and dies loses none.
   */
  abstract claim(destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]>;

  /** Forgets an event that was delivered. One that is gone already stays so. */
  abstract done(event: ClaimedEvent): Promise<void>;

  /** Makes an event due at a time, in whole milliseconds since the epoch; nothing when someone else has claimed it meanwhile. */
  abstract postpone(event: ClaimedEvent, due: number): Promise<void>;

  /** How many events of a destination are not delivered yet, due or not; counting may end at `most`. */
  abstract pending(destination: string, most: number): Promise<number>;

  /**
   * Removes events that happened before a time in milliseconds since the epoch, whatever their destination, also when
   * they are claimed just now. `limit` bounds one call: a store that keeps several events in one record may count
   * records. Resolves with how many were removed for each destination, without those that another process removed first;
   * an empty map means that none are left.
   */
  abstract expire(before: number, limit: number): Promise<ReadonlyMap<string, number>>;
}

/** How many events there are for each destination, as `expire` gives it. */
export const countByDestination = (
  events: readonly Pick<QueuedEvent, 'destination'>[],
): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { destination } of events) counts.set(destination, (counts.get(destination) ?? 0) + 1);
  return counts;
};
