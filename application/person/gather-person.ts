import { type Either, right } from 'fp-ts/lib/Either.js';
import type { User } from '../../domain/user.ts';
import type { UserKey, UserName } from '../../domain/user-name.ts';
import type { AboutUser } from '../administration/administrator.ts';
import { type WaitingMail, waitingMailOf } from '../administration/list-mails.ts';
import { Fault } from '../fault.ts';
import type { AttemptCounter, AttemptStatus } from '../ports/attempt-counter.ts';
import type { EventOutbox, WaitingEvent } from '../ports/event-outbox.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import { personKeysOf, waitingRecordsOf } from './person-records.ts';

/** Gathers what is stored about a person, who need not be a user (any more). */
export interface GatherPerson extends AboutUser {
  readonly type: 'GatherPerson';
}

/** A counter of wrong passwords, tokens of a recovery, or codes that verify an address. */
export interface PersonCounter {
  readonly kind: 'passwords' | 'tokens' | 'codes';
  readonly attempts: AttemptCounter;
}

/** What is counted under one of the names of a person. */
export interface CountedKind extends AttemptStatus {
  readonly kind: PersonCounter['kind'];
}

/** Everything that the database has about a person. */
export interface Person {
  readonly user: User | undefined;
  readonly names: readonly UserName[];
  readonly events: readonly WaitingEvent[];
  readonly mails: readonly WaitingMail[];
  readonly requests: readonly WaitingEvent[];
  readonly attempts: readonly CountedKind[];
  /** Sentences about what is outside the database. */
  readonly elsewhere: readonly string[];
}

export type GatherPersonResult = Either<never, Person>;

declare module '../bus.ts' {
  interface Queries {
    readonly GatherPerson: OptionalUseCase<GatherPerson, GatherPersonResult>;
  }
}

/** Where people leave traces besides the users of a store. */
export interface PersonPlaces {
  /** Undefined if the store has no outbox. */
  readonly outbox: EventOutbox | undefined;
  /** The destinations of the configured webhooks. */
  readonly webhooks: readonly string[];
  readonly counters: readonly PersonCounter[];
  readonly elsewhere: readonly string[];
}

/** What is counted under each of some names; also a count that is damaged, which counts as one failure. */
export const countsOf = async (
  counters: readonly PersonCounter[],
  keys: ReadonlySet<UserKey>,
): Promise<readonly CountedKind[]> => {
  const counted: CountedKind[] = [];
  for (const { kind, attempts } of counters)
    for (const user of keys) {
      const status = await attempts.status({ user, client: undefined }).catch((error: unknown) => {
        if (error instanceof Fault && error.record !== undefined) return { failures: 1, blockedForMs: 0 };
        throw error;
      });
      if (status.failures > 0 || status.blockedForMs > 0) counted.push({ kind, ...status });
    }
  return counted;
};

/** Reads everything about a person; changes nothing. */
export class GatherPersonHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly places: PersonPlaces,
  ) {}

  async handle({ key }: GatherPerson): Promise<GatherPersonResult> {
    const { outbox, webhooks, counters, elsewhere } = this.places;
    const stored = await this.users.find(key);
    const keys = personKeysOf(key, stored === undefined ? [] : [stored]);
    const { events, mails, requests } = await waitingRecordsOf(outbox, webhooks, keys);
    return right({
      user: stored?.user,
      names: stored?.names ?? [],
      events,
      mails: mails.map(waitingMailOf).filter((mail) => mail !== undefined),
      requests,
      attempts: await countsOf(counters, keys.keys),
      elsewhere,
    });
  }
}
