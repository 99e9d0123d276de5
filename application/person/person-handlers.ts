import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { type Failure, type FailureSubject, failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { idIn, isUserName, type UserKey, type UserName } from '../../domain/user-name.ts';
import type { AboutUser } from '../administration/administrator.ts';
import { anyCaller, onEntityTag } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import { namesOfUser, type PersonNames, type PersonPlaces, personNames } from './person-places.ts';
import type { UnfinishedErasures } from './unfinished-erasures.ts';

/** Gathers what is stored about a person, who need not be a user (any more). */
export interface GatherPerson extends AboutUser {
  readonly type: 'GatherPerson';
}

/** Everything that the database has about a person; of each place, what the person gets to see. */
export interface Person extends Readonly<Record<keyof PersonPlaces, readonly object[]>> {
  readonly user: User | undefined;
  readonly names: readonly UserName[];
  /** Sentences about what is outside the database, and stays. */
  readonly elsewhere: readonly string[];
}

/** Removes what is stored about a person, who need not be a user (any more). */
export interface ErasePerson extends AboutUser {
  readonly type: 'ErasePerson';
  /** A user, if there is one, must have one of these entity tags; undefined for any. */
  readonly ifMatch?: readonly string[] | undefined;
}

/** What was removed, of each place how much; a repeated erasure removes nothing. */
export interface ErasedPerson extends Readonly<Record<keyof PersonPlaces, number>>, Pick<Person, 'elsewhere'> {
  readonly user: boolean;
  /** The user that was removed, for the audit: the request may have named it by the id. */
  readonly about?: FailureSubject | undefined;
  /** The events `user.deleted` that wait: they stay until they are delivered. */
  readonly announcements: number;
}

export type GatherPersonResult = Either<never, Person>;
export type ErasePersonResult = Either<Failure<'stale_user' | 'contended'>, ErasedPerson>;

declare module '../bus.ts' {
  interface Queries {
    readonly GatherPerson: OptionalUseCase<GatherPerson, GatherPersonResult>;
  }
  interface Commands {
    readonly ErasePerson: OptionalUseCase<ErasePerson, ErasePersonResult>;
  }
}

/** Reads everything about a person; changes nothing. */
export class GatherPersonHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly places: PersonPlaces,
    private readonly unfinished: Pick<UnfinishedErasures, 'with'>,
    private readonly elsewhere: readonly string[],
  ) {}

  async handle({ key }: GatherPerson): Promise<GatherPersonResult> {
    const stored = await this.users.find(key);
    const { names } = await this.unfinished.with(namesOfUser(key, stored));
    const shownIn = async (place: keyof PersonPlaces) => (await this.places[place](names)).map(({ shown }) => shown);
    return right({
      user: stored?.user,
      names: stored?.names ?? [],
      events: await shownIn('events'),
      mails: await shownIn('mails'),
      requests: await shownIn('requests'),
      attempts: await shownIn('attempts'),
      elsewhere: this.elsewhere,
    });
  }
}

/** A removal, with the names of the user, if there was one. */
interface RemovedUser {
  /** Undefined if there was no user. */
  readonly removed: FailureSubject | undefined;
  readonly named: PersonNames;
}

/**
 * Removes the user, with the event `user.deleted`, before what else is stored, so that an erasure that fails loses nothing;
 * and another time after the requests that waited, because a sign-up that was answered meanwhile has created a user for the
 * address, and the user may have moved. Should the process end in between, another run goes on by the names that were
 * stored with the removal.
 */
export class ErasePersonHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly places: PersonPlaces,
    private readonly unfinished: UnfinishedErasures,
    private readonly elsewhere: readonly string[],
  ) {}

  async handle({ key, ifMatch }: ErasePerson, startedMs: number): Promise<ErasePersonResult> {
    const asked = await this.removeUser(key, ifMatch, startedMs);
    if (isLeft(asked)) return asked;
    const removals = [asked.right];
    const known = await this.unfinished.with(asked.right.named);
    const { requests } = await this.removeTraces(known.names, ['requests']);
    for (const own of [...asked.right.named.keys].filter((one) => !isUserName(one) || idIn(one) !== undefined)) {
      const again = await this.removeUser(own, undefined, startedMs);
      if (isLeft(again)) return again;
      removals.push(again.right);
    }
    const keys = removals.flatMap(({ named }) => [...named.keys]);
    const { names, finish } = await this.unfinished.with(personNames(keys));
    const removed = await this.removeTraces(names, ['events', 'mails', 'attempts']);
    await finish();
    const about = removals.find(({ removed: user }) => user !== undefined)?.removed;
    return right({ user: about !== undefined, about, ...removed, requests, elsewhere: this.elsewhere });
  }

  private async removeUser(
    key: UserKey,
    ifMatch: ErasePerson['ifMatch'],
    startedMs: number,
  ): Promise<Either<Failure<'stale_user' | 'contended'>, RemovedUser>> {
    let named = namesOfUser(key, undefined);
    const keepsNames = await this.unfinished.isNeeded();
    const authorize = onEntityTag(ifMatch, anyCaller);
    const updated = await this.updates.apply<'user_not_found' | 'stale_user'>(
      {
        key,
        authorize: (stored) => {
          // Who has moved to another address since the first attempt is found by the id.
          if (stored !== undefined) named = namesOfUser(key, stored);
          return authorize(stored);
        },
        transition: () => right('removed'),
        events: ['user.deleted'],
        mails: () => (keepsNames ? this.unfinished.begin(named) : []),
        reason: 'erasure',
      },
      startedMs,
    );
    if (isLeft(updated) && updated.left.code !== 'user_not_found') return left(failure(updated.left.code));
    if (isLeft(updated)) return right({ removed: undefined, named });
    const { email, id } = updated.right.user;
    return right({ removed: { key: keyOf(email.address), id }, named });
  }

  /** Resolves with how much was removed from these places, and the number of announcements, which stay. */
  private async removeTraces(
    names: PersonNames,
    places: readonly (keyof PersonPlaces)[],
  ): Promise<Omit<ErasedPerson, 'user' | 'about' | 'elsewhere'>> {
    const counts = { events: 0, mails: 0, requests: 0, attempts: 0, announcements: 0 };
    for (const place of places)
      for (const { remove } of await this.places[place](names)) {
        await remove?.();
        counts[remove === undefined ? 'announcements' : place]++;
      }
    return counts;
  }
}
