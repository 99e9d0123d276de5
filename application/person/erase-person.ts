import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { AboutUser } from '../administration/administrator.ts';
import type { EventOutbox, WaitingEvent } from '../ports/event-outbox.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import { countsOf, type PersonPlaces } from './gather-person.ts';
import { eventTypeIn, isEventOf, type PersonKeys, personKeysOf, waitingRecordsOf } from './person-records.ts';

/** Removes what is stored about a person, who need not be a user (any more). */
export interface ErasePerson extends AboutUser {
  readonly type: 'ErasePerson';
}

/** What was removed; a repeated erasure removes nothing. */
export interface ErasedPerson {
  readonly user: boolean;
  readonly events: number;
  readonly mails: number;
  readonly requests: number;
  /** The counts of wrong passwords, tokens and codes. */
  readonly attempts: number;
  /** The events `user.deleted` that wait: they stay until they are delivered, that other systems delete the person too. */
  readonly announcements: number;
  /** Sentences about what is outside the database, and stays. */
  readonly elsewhere: readonly string[];
}

export type ErasePersonResult = Either<Failure<'contended'>, ErasedPerson>;

declare module '../bus.ts' {
  interface Commands {
    readonly ErasePerson: OptionalUseCase<ErasePerson, ErasePersonResult>;
  }
}

const removeAll = async (outbox: EventOutbox | undefined, events: readonly WaitingEvent[]): Promise<number> => {
  for (const event of events) await outbox?.done(event);
  return events.length;
};

type Removed = Pick<ErasedPerson, 'events' | 'mails' | 'requests' | 'announcements'>;

const isAnnouncement = (event: WaitingEvent): boolean => eventTypeIn(event) === 'user.deleted';

/**
 * Removes first what only the user tells to belong to the person; then the user, with the event `user.deleted`; then what is
 * found by the name that was asked for. Should the process end in between, another run goes on: the event is stored with the
 * removal, and so once.
 */
export class ErasePersonHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly places: PersonPlaces,
  ) {}

  async handle({ key }: ErasePerson, startedMs: number): Promise<ErasePersonResult> {
    const stored = await this.users.find(key);
    const asked = personKeysOf(key, []);
    const before = stored === undefined ? undefined : await this.removeWaiting(personKeysOf(key, [stored]), asked);
    const removed = await this.updates.apply<'user_not_found' | 'contended'>(
      {
        key,
        authorize: anyCaller,
        transition: () => right('removed'),
        events: ['user.deleted'],
        reason: 'erasure',
        whenContended: 'contended',
      },
      startedMs,
    );
    if (isLeft(removed) && removed.left.code === 'contended') return left(failure('contended'));
    const user = isLeft(removed) ? undefined : removed.right;
    const keys = personKeysOf(
      key,
      [stored, user].filter((one) => one !== undefined),
    );
    const after = await this.removeWaiting(keys);
    const { elsewhere } = this.places;
    return right({
      user: user !== undefined,
      events: after.events + (before?.events ?? 0),
      mails: after.mails + (before?.mails ?? 0),
      requests: after.requests + (before?.requests ?? 0),
      attempts: await this.resetCounts(keys),
      announcements: after.announcements,
      elsewhere,
    });
  }

  /** Removes what waits for a person; without the events that are found under the names `later` as well. */
  private async removeWaiting(keys: PersonKeys, later?: PersonKeys): Promise<Removed> {
    const { outbox, webhooks } = this.places;
    const { events, mails, requests } = await waitingRecordsOf(outbox, webhooks, keys);
    const removable = events.filter((event) => !isAnnouncement(event) && !(later && isEventOf(event, later)));
    return {
      mails: await removeAll(outbox, mails),
      requests: await removeAll(outbox, requests),
      events: await removeAll(outbox, removable),
      announcements: events.filter(isAnnouncement).length,
    };
  }

  private async resetCounts({ keys }: PersonKeys): Promise<number> {
    const { counters } = this.places;
    const counted = await countsOf(counters, keys);
    for (const { attempts } of counters) for (const user of keys) await attempts.reset(user);
    return counted.length;
  }
}
