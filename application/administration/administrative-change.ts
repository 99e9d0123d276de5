import { type Either, isLeft, isRight, map, right } from 'fp-ts/lib/Either.js';
import { withoutMove } from '../../domain/address-move.ts';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { EventType } from '../outgoing/domain-events.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { PreparedVerification } from '../verification/verification-mailing.ts';
import { anyCaller, onEntityTag } from '../writing/authorization.ts';
import type { OptimisticUpdate, UpdateRequest } from '../writing/optimistic-update.ts';
import type { AboutUser } from './administrator.ts';

/** A message of an administrator that changes a user. */
export interface ChangeOfUser extends AboutUser {
  /** The user must have one of these entity tags; undefined for any. */
  readonly ifMatch?: readonly string[] | undefined;
}

/** Why a change by an administrator is refused, whatever it changes. */
type ChangeFailure = 'user_not_found' | 'stale_user' | 'contended';

/** The next state of a user; the same object if nothing changes. */
type Transition<Code extends FailureCode> = (user: User, now: number) => ReturnType<UpdateRequest<Code>['transition']>;

/** What a message does to each version of the user, and the mail that belongs to it. */
interface Prepared<Code extends FailureCode>
  extends Partial<Pick<PreparedVerification, 'mails' | 'afterwards'>>,
    Pick<UpdateRequest<Code>, 'whenTooLarge' | 'whenTaken' | 'whenNameTaken'> {
  readonly transition: Transition<Code>;
}

/** Every change also cancels an address move that is not confirmed, because another person may have requested it. */
const withoutAddressMove = (next: User | 'removed', user: User): User | 'removed' =>
  next === user || next === 'removed' ? next : withoutMove(next);

/** How administrators change users: handlers of messages, from the events and the transition of each. */
export const administrativeChanges = (updates: OptimisticUpdate, clock: Clock) => {
  /** `prepare` is called once for a message; its transition is repeated for each newer version of the user. */
  const prepared = <Input, Code extends FailureCode>(
    events: readonly EventType[],
    prepare: (message: Input & ChangeOfUser) => Promise<Either<Failure<Code>, Prepared<Code>>>,
    label?: string,
  ) => ({
    label,
    handle: async (
      message: Input & ChangeOfUser,
      startedMs: number,
    ): Promise<Either<Failure<Code | ChangeFailure>, StoredUser>> => {
      const change = await prepare(message);
      if (isLeft(change)) return change;
      const { transition, afterwards, ...others } = change.right;
      const updated = await updates.apply<Code | ChangeFailure>(
        {
          ...others,
          key: message.key,
          authorize: onEntityTag(message.ifMatch, anyCaller),
          transition: async (user) =>
            map((next: User | 'removed') => withoutAddressMove(next, user))(await transition(user, clock.now())),
          events,
        },
        startedMs,
      );
      if (isRight(updated)) await afterwards?.(updated.right.user);
      return updated;
    },
  });
  const change = <Input = object, Code extends FailureCode = never>(
    events: readonly EventType[],
    transition: (user: User, now: number, message: Input) => ReturnType<Transition<Code>>,
    label?: string,
  ) =>
    prepared<Input, Code>(
      events,
      async (message) => right({ transition: (user, now) => transition(user, now, message) }),
      label,
    );
  return { prepared, change };
};
