import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { UserName } from '../../domain/user-name.ts';
import type { AboutUser } from '../administration/administrator.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import { type PersonNames, type PersonPlaces, personNames, placeNames } from './person-places.ts';

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
}

/** What was removed, of each place how much; a repeated erasure removes nothing. */
export interface ErasedPerson extends Readonly<Record<keyof PersonPlaces, number>>, Pick<Person, 'elsewhere'> {
  readonly user: boolean;
  /** The events `user.deleted` that wait: they stay until they are delivered. */
  readonly announcements: number;
}

export type GatherPersonResult = Either<never, Person>;
export type ErasePersonResult = Either<Failure<'contended'>, ErasedPerson>;

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
    private readonly elsewhere: readonly string[],
  ) {}

  async handle({ key }: GatherPerson): Promise<GatherPersonResult> {
    const stored = await this.users.find(key);
    const names = personNames(key, stored);
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

/**
 * Removes first what belongs to the user, whose names tell so; then the user, with the event `user.deleted`; then what was
 * stored meanwhile. Should the process end in between, another run goes on.
 */
export class ErasePersonHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly places: PersonPlaces,
    private readonly elsewhere: readonly string[],
  ) {}

  async handle({ key }: ErasePerson, startedMs: number): Promise<ErasePersonResult> {
    const counts = { events: 0, mails: 0, requests: 0, attempts: 0 };
    const stored = await this.users.find(key);
    await this.removeTraces(personNames(key, stored), counts);
    const updated = await this.updates.apply<'user_not_found' | 'contended'>(
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
    if (isLeft(updated) && updated.left.code === 'contended') return left(failure('contended'));
    const removed = isLeft(updated) ? undefined : updated.right;
    const announcements = await this.removeTraces(personNames(key, stored, removed), counts);
    return right({ user: removed !== undefined, ...counts, announcements, elsewhere: this.elsewhere });
  }

  /** Adds to the counts what was removed. Resolves with the number of traces that stay. */
  private async removeTraces(names: PersonNames, counts: Record<keyof PersonPlaces, number>): Promise<number> {
    let staying = 0;
    for (const place of placeNames)
      for (const { remove } of await this.places[place](names)) {
        await remove?.();
        if (remove === undefined) staying++;
        else counts[place]++;
      }
    return staying;
  }
}
