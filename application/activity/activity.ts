import { left, right } from 'fp-ts/lib/Either.js';
import { failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { withCheckTime } from '../../domain/user-state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Authorization } from '../writing/authorization.ts';
import { BackgroundUpdates } from '../writing/background-updates.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

/** How many users may wait for their write. Further ones are noted at their next check. */
const maxWaiting = 1_000;

/** How many users are written at once. */
const atOnce = 4;

/** Allows the change while the address belongs to this user. Another user may have got it since. */
const whileSameUser =
  ({ creationTime, id }: User): Authorization<'user_not_found'> =>
  async (stored) =>
    stored !== undefined && stored.user.creationTime === creationTime && stored.user.id === id
      ? right(stored)
      : left(failure('user_not_found'));

/**
 * Notes in the user when its password was last right, at most once per precision, which all processes share by the stored
 * time.
 */
export class Activity extends BackgroundUpdates {
  constructor(
    private readonly updates: Pick<OptimisticUpdate, 'record'>,
    /** How much older than the last check the noted time may be, in milliseconds. */
    private readonly precisionMs: number,
    private readonly clock: Clock,
    log: Log,
  ) {
    super(log, 'could not note when a password was right; later checks try again', maxWaiting, atOnce);
  }

  /** Schedules the write for a user whose password was right, if it is due. Returns at once and never throws. */
  note(user: User): void {
    const now = this.clock.now();
    if (withCheckTime(user, this.precisionMs, now) === user) return;
    // A refusal is no error: the user is gone, has another address, or others keep changing it.
    this.runLater(user, (key) =>
      this.updates.record({
        key,
        authorize: whileSameUser(user),
        transition: (stored) => right(withCheckTime(stored, this.precisionMs, now)),
        // No event, because the user did not change anything.
        events: [],
      }),
    );
  }
}
