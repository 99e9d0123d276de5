import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import { type Failure, type FailureCode, failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { Authorization } from '../passwords/passwords.ts';
import type { StoredUser, UserStore } from '../ports/user-store.ts';
import type { DomainEvents, EventType } from './domain-events.ts';

/** A transition: the user as it shall be (the same one when nothing changes), `removed`, or why it can't be. */
export type Transition = (user: User) => Promise<Either<Failure, User | 'removed'>> | Either<Failure, User | 'removed'>;

/** How one change of a user is asked for. */
export interface UpdateRequest {
  readonly key: EmailKey;
  /** Asked before anything else, each time the user was read. */
  readonly gate: Authorization;
  readonly transition: Transition;
  /** What is announced when the user was changed, null nothing. Where nothing changed nothing is announced either. */
  readonly event: EventType | null;
  /** What to answer when others kept changing the user meanwhile. */
  readonly whenContended: FailureCode;
}

const attempts = 6;
const longestPause = 40;

/** Spreads writers that got in each other's way: they would meet again at once otherwise. */
const pauseBefore = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(longestPause, 2 ** attempt)));

/**
 * The one way in which a stored user changes: read, check the caller, apply a pure transition, write on the condition
 * that nobody else wrote since the read, and start again when somebody did, up to five times.
 */
export class OptimisticUpdate {
  constructor(
    private readonly users: UserStore,
    private readonly announcements: DomainEvents,
  ) {}

  /** The user after the change, or the removed user. Left: what the gate refuses, `user_not_found`, the transition's own. */
  async apply({ key, gate, transition, event, whenContended }: UpdateRequest): Promise<Either<Failure, User>> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (attempt > 0) await pauseBefore(attempt);
      const stored = await this.users.find(key);
      const admitted = await gate(stored?.user);
      if (isLeft(admitted)) return admitted;
      if (stored === undefined) return left(failure('user_not_found'));
      const outcome = await transition(stored.user);
      if (isLeft(outcome)) return outcome;
      const next = outcome.right;
      if (next === stored.user) return right(next);
      const written = await this.write(stored, next, event);
      if (written === 'taken') return left(failure('address_taken'));
      if (written === 'stale') continue;
      this.announcements.written();
      return right(next === 'removed' ? stored.user : next);
    }
    return left(failure(whenContended));
  }

  private write(
    stored: StoredUser,
    next: User | 'removed',
    event: EventType | null,
  ): Promise<'replaced' | 'removed' | 'stale' | 'taken'> {
    return next === 'removed'
      ? this.users.remove(stored, this.announcements.of(event, stored.user))
      : this.users.replace(stored, next, this.announcements.of(event, next, stored.user.email.address));
  }
}
