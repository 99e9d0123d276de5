import type { CustomProperties, User } from '../../domain/user.ts';
import {
  changedFields,
  isAddressChanged,
  isPasswordChanged,
  isUnnamedChange,
  isVerificationChanged,
} from '../../domain/user-changes.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import type { MailRequest } from './mail-queue.ts';

/** The domain events to which webhooks can subscribe. */
export const eventTypes = [
  'user.created',
  'user.invited',
  'user.updated',
  'user.deleted',
  'user.disabled',
  'user.enabled',
  'password.changed',
  'address.changed',
  'verification.sent',
  'verification.confirmed',
  'verification.reset',
  'recovery.sent',
  'password.listed',
  'mail.failed',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Why a user is deleted, other than by a request to delete this user. */
export type DeletionReason = 'unverified' | 'inactive' | 'erasure';

/** The events that one destination receives. */
export interface Subscription {
  /** Identifies the destination, also in the records of the store. */
  readonly destination: string;
  readonly types: readonly EventType[];
  /** The custom properties whose changes its events may name; null or absent for all. */
  readonly properties?: readonly string[] | null;
}

/** When a type applies that a command names, given the user before and after; the others always apply. */
const conditions: Readonly<Partial<Record<EventType, (previous: User, next: User) => boolean>>> = {
  'password.changed': isPasswordChanged,
  'verification.confirmed': isVerificationChanged,
  'address.changed': isAddressChanged,
};

/** Returns the names of the custom properties that differ. Supplied by an adapter, because it parses their text. */
export type PropertyComparison = (previous: CustomProperties, next: CustomProperties) => readonly string[];

/** Limits of the names in an event, because stores keep it in a record of limited size. */
const maxNames = 100;
const maxNamesLength = 2_000;

/** The names of changed members, never their values; `changedOmitted` counts those beyond the limits. */
const limitedNames = (names: readonly string[]) => {
  let length = 0;
  const changed = names.slice(0, maxNames).filter((name) => {
    const fits = length + name.length <= maxNamesLength;
    if (fits) length += name.length;
    return fits;
  });
  const changedOmitted = names.length - changed.length;
  return { changed, ...(changedOmitted > 0 && { changedOmitted }) };
};

const noEvents: readonly QueuedEvent[] = [];

/** Makes the events that a store writes together with a change; none without subscriptions. */
export class DomainEvents {
  constructor(
    private readonly subscriptions: readonly Subscription[],
    private readonly clock: Clock,
    /** Returns a new unique id. */
    private readonly newId: () => string,
    private readonly changedProperties: PropertyComparison,
  ) {}

  /**
   * The events of a change, one for each subscription to one of its types. A type with a condition is left out if the
   * change does not meet it, and `user.updated` is added if the others do not report the whole change. `user` is as it was
   * written, or removed; `previous` is the user before the change. `reason` is that of a removal.
   */
  prepare(
    types: readonly EventType[],
    user: User,
    previous: User = user,
    reason?: DeletionReason,
  ): readonly QueuedEvent[] {
    if (this.subscriptions.length === 0) return noEvents;
    const time = this.clock.now();
    const isAdded = !types.includes('user.updated') && isUnnamedChange(previous, user);
    return (isAdded ? [...types, 'user.updated' as const] : types).flatMap((type) =>
      conditions[type]?.(previous, user) === false
        ? []
        : this.queued(type, time, (properties) => this.payloadOf(type, time, user, previous, properties, reason)),
    );
  }

  /** The events `mail.failed` of a mail that the mail provider refused for good. They belong to no change of a user. */
  prepareMailFailed({
    kind,
    to: address,
    userId: id,
  }: Pick<MailRequest, 'kind' | 'to' | 'userId'>): readonly QueuedEvent[] {
    const time = this.clock.now();
    const timestamp = new Date(time).toISOString();
    const body = () => JSON.stringify({ type: 'mail.failed', timestamp, data: { id, kind, email: { address } } });
    return this.queued('mail.failed', time, body);
  }

  private queued(
    type: EventType,
    time: number,
    bodyOf: (properties: Subscription['properties']) => string,
  ): readonly QueuedEvent[] {
    const subscriptions = this.subscriptions.filter((subscription) => subscription.types.includes(type));
    if (subscriptions.length === 0) return [];
    const shared = bodyOf(null);
    // Ids that start with the time are close to each other in an index, which costs a database less than random ids.
    return subscriptions.map(({ destination, properties }) => {
      const body = properties ? bodyOf(properties) : shared;
      return { id: `${time}-${this.newId()}`, destination, time, body };
    });
  }

  /**
   * The payload of an event: the id and the address of the user, whether it is verified, times, until when a user is
   * disabled, why it was deleted, and the names of what an update changed. It never holds a password, a token or the
   * value of a custom property; a receiver that needs more reads the user (Standard Webhooks, "thin payloads").
   */
  private payloadOf(
    type: EventType,
    time: number,
    user: User,
    previous: User,
    properties: Subscription['properties'],
    reason: DeletionReason | undefined,
  ): string {
    const { address, verification } = user.email;
    const { id, creationTime, lastUpdateTime, disablement } = user;
    const previousAddress = previous.email.address;
    const data = {
      id,
      email: { address, verified: verification.verified },
      creationTime,
      lastUpdateTime,
      ...(previousAddress !== address && { previousAddress }),
      ...(type === 'user.deleted' && reason !== undefined && { reason }),
      ...(type === 'user.disabled' && disablement?.until !== undefined && { until: disablement.until }),
      ...(type === 'user.updated' && limitedNames(this.changedNames(previous, user, properties))),
    };
    return JSON.stringify({ type, timestamp: new Date(time).toISOString(), data });
  }

  private changedNames(previous: User, next: User, properties: Subscription['properties']): readonly string[] {
    const names = changedFields(previous, next).map(({ in: owner, name, kind }) =>
      owner === 'email' && kind !== 'id' ? `email.${name}` : name,
    );
    const changed = this.changedProperties(previous.properties, next.properties);
    return [...names, ...(properties ? changed.filter((name) => properties.includes(name)) : changed)];
  }
}

/** Used where no events are stored. */
export const withoutEvents: Pick<DomainEvents, 'prepare' | 'prepareMailFailed'> = {
  prepare: () => noEvents,
  prepareMailFailed: () => noEvents,
};
