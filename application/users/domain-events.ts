import type { EmailAddress } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';

/** The domain events to which webhooks can subscribe. */
export const eventTypes = [
  'user.created',
  'user.updated',
  'user.deleted',
  'verification.sent',
  'verification.confirmed',
  'verification.reset',
] as const;

export type EventType = (typeof eventTypes)[number];

/** The events that one destination receives. */
export interface Subscription {
  /** Identifies the destination, also in the records of the store. */
  readonly destination: string;
  readonly types: readonly EventType[];
}

/**
 * The payload of an event: the address of the user, whether it is verified, and times. It never holds a password, a
 * token or a custom property; a receiver that needs more reads the user (Standard Webhooks, "thin payloads").
 */
const payloadOf = (type: EventType, time: number, user: User, previousAddress: EmailAddress | undefined): string => {
  const { address, verified } = user.email;
  const renamed = previousAddress === undefined || previousAddress === address ? {} : { previousAddress };
  const { creationTime, lastUpdateTime } = user;
  const data = { email: { address, verified }, creationTime, lastUpdateTime, ...renamed };
  return JSON.stringify({ type, timestamp: new Date(time).toISOString(), data });
};

/** Makes the events that a store writes together with a change. */
export class DomainEvents {
  constructor(
    private readonly subscriptions: readonly Subscription[],
    private readonly clock: Clock,
    /** Returns a new unique id. */
    private readonly newId: () => string,
    /** Called after every committed change, so that delivery does not wait for the next poll. */
    readonly committed: () => void,
  ) {}

  /**
   * The events of a change, one for each subscription to its type; none if the type is null. `user` is as it was written,
   * or removed; `previousAddress` is its address before the change.
   */
  prepare(type: EventType | null, user: User, previousAddress?: EmailAddress): readonly QueuedEvent[] {
    if (type === null) return [];
    const subscriptions = this.subscriptions.filter(({ types }) => types.includes(type));
    if (subscriptions.length === 0) return [];
    const time = this.clock.now();
    const body = payloadOf(type, time, user, previousAddress);
    // Ids that start with the time are close to each other in an index, which costs a database less than random ids.
    return subscriptions.map(({ destination }) => ({ id: `${time}-${this.newId()}`, destination, time, body }));
  }
}
