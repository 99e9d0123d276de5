import { isRight } from 'fp-ts/lib/Either.js';
import { parse } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { isUserKey } from '../../domain/user-name.ts';
import { delayedRequest } from '../outgoing/delayed-requests.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClaimedEvent, QueuedEvent } from '../ports/event-outbox.ts';
import { type PersonNames, personNames, type SearchedOutbox, waitingIn } from './person-places.ts';

/** The destination of the names of people who are being erased. No webhook has it. */
const erasureDestination = 'erasure';

const Names = t.type({ keys: t.readonlyArray(t.string) });

/** None for a damaged record. */
const erasedNames = (body: string): t.TypeOf<typeof Names> => {
  const parsed = parse(body);
  return isRight(parsed) && Names.is(parsed.right) ? parsed.right : { keys: [] };
};

/** The names of a person, and what to do when nothing is stored under them any more. */
interface Unfinished {
  readonly names: PersonNames;
  readonly finish: () => Promise<void>;
}

/**
 * The names of people whose users are removed while other data about them is not. They are stored in the step that
 * removes the user, so that another run finds them if the process dies in between.
 */
export class UnfinishedErasures {
  constructor(
    private readonly outbox: SearchedOutbox,
    private readonly clock: Clock,
  ) {}

  /** Whether anything waits that an interrupted erasure could leave. */
  async isNeeded(): Promise<boolean> {
    return (await this.outbox.destinations()).length > 0;
  }

  /** What to store with the removal of a user: nothing if the key that was asked for is its only name. */
  begin({ keys }: PersonNames): readonly QueuedEvent[] {
    if (keys.size === 1) return [];
    const names = { requestedTime: this.clock.now(), keys: [...keys] };
    return [delayedRequest(erasureDestination, names)];
  }

  /** These names, and those that unfinished erasures of the same person know. */
  async with({ keys }: PersonNames): Promise<Unfinished> {
    const known = [...keys];
    const found: ClaimedEvent[] = [];
    for await (const event of waitingIn(this.outbox, (destination) => destination === erasureDestination)) {
      const stored = erasedNames(event.body).keys.filter(isUserKey);
      if (!stored.some((key) => keys.has(key))) continue;
      found.push(event);
      known.push(...stored);
    }
    const finish = async (): Promise<void> => {
      for (const event of found) await this.outbox.done(event);
    };
    return { names: personNames(known), finish };
  }
}
