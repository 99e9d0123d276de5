import type { EmailAddress } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';

/** What can happen to a user, as others are told of it. */
export const eventTypes = [
  'user.created',
  'user.updated',
  'user.deleted',
  'verification.sent',
  'verification.confirmed',
  'verification.reset',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Who is told, and of what. */
export interface Subscription {
  /** What tells it from the others, in the records of the store as well. */
  readonly destination: string;
  readonly types: readonly EventType[];
}

/** Makes the records of what happens to users, which a store writes with the change. */
export interface DomainEvents {
  /**
   * The records of a change, one for each subscription to it; undefined where there is no subscription at all. `user`
   * is as it was written, or removed; `previousAddress` is what its address was before. No one subscribes to null.
   */
  of(type: EventType | null, user: User, previousAddress?: EmailAddress): readonly QueuedEvent[] | undefined;

  /** Says that a change was written: whoever delivers need not wait for its next look. */
  written(): void;
}

/** Where nobody listens: nothing is made and nothing is written. */
export const noDomainEvents: DomainEvents = { of: () => undefined, written: () => undefined };

/**
 * What is told of a user: which one, and nothing that a receiver could not ask for. A password, a token or a custom
 * property never leaves the service in this way (Standard Webhooks, "thin payloads").
 */
const bodyOf = (type: EventType, time: number, user: User, previousAddress: EmailAddress | undefined): string => {
  const { address, verified } = user.email;
  const moved = previousAddress === undefined || previousAddress === address ? {} : { previousAddress };
  const { creationTime, lastUpdateTime } = user;
  const data = { email: { address, verified }, creationTime, lastUpdateTime, ...moved };
  return JSON.stringify({ type, timestamp: new Date(time).toISOString(), data });
};

/**
 * Announces to subscriptions, each of the types that it wants. `newId` gives what no other id has, and
 * `onWritten` is called after every change.
 */
export const domainEventsFor = (
  subscriptions: readonly Subscription[],
  clock: Clock,
  newId: () => string,
  onWritten: () => void,
): DomainEvents => ({
  of: (type, user, previousAddress) => {
    if (type === null) return [];
    const interested = subscriptions.filter(({ types }) => types.includes(type));
    if (interested.length === 0) return [];
    const time = clock.now();
    const body = bodyOf(type, time, user, previousAddress);
    // Ids that begin with the time lie side by side in a database, and cost it less than scattered ones.
    return interested.map(({ destination }) => ({ id: `${time}-${newId()}`, destination, time, body }));
  },
  written: onWritten,
});
