import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { cancelMove, confirmMove } from '../../domain/address-move.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { isExpired, type OneTimeTokenPolicy } from '../../domain/one-time-token.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { isDisabled } from '../../domain/user-state.ts';
import { isOutstanding } from '../constant-time.ts';
import { digestOfLinkToken } from '../mailed-tokens.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { Authorization } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

/** Why a token does not authorize its caller. */
export type MoveTokenFailure = 'token_mismatch' | 'token_expired';

/**
 * Authorizes callers by the token of a mail about a new address. Unknown users are refused like wrong tokens. Only the
 * holder of the token may learn that it has expired. With `isUsed`, the move has to be confirmed or cancelled already
 * with the token, and otherwise it has to wait.
 */
export const authorizeByMoveToken = (
  digest: 'confirmDigest' | 'cancelDigest',
  token: string,
  { lifetimeMs }: OneTimeTokenPolicy,
  clock: Clock,
  isUsed = false,
): Authorization<MoveTokenFailure> => {
  const given = digestOfLinkToken(token);
  return async (stored) => {
    const move = stored?.user.addressMove;
    const matches = isOutstanding(move?.[digest], given);
    const now = clock.now();
    if (stored === undefined || move === undefined || !matches || isDisabled(stored.user, now))
      return left(failure('token_mismatch'));
    if (isUsed !== (move.to === undefined)) return left(failure('token_mismatch'));
    return isExpired(move.since, lifetimeMs, now) ? left(failure('token_expired')) : right(stored);
  };
};

/** `ConfirmChange`, like the types of the other messages here, is what metrics and traces call it. */
export interface ConfirmMove {
  readonly type: 'ConfirmChange';
  /** The present address. */
  readonly key: UserKey;
  readonly token: string;
}

/** Right: the user with the new address. */
export type ConfirmMoveResult = Either<
  Failure<MoveTokenFailure | 'address_taken' | 'user_too_large' | 'contended'>,
  StoredUser
>;

export interface CancelMove extends Omit<ConfirmMove, 'type'> {
  readonly type: 'CancelChange';
}

/** Right: the user, who keeps the address. */
export type CancelMoveResult = Either<Failure<MoveTokenFailure | 'contended'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly ConfirmChange: OptionalUseCase<ConfirmMove, ConfirmMoveResult>;
    readonly CancelChange: OptionalUseCase<CancelMove, CancelMoveResult>;
  }
}

/** Gives a user the new address, if the caller holds the token that was sent there. */
export class ConfirmMoveHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly policy: OneTimeTokenPolicy,
  ) {}

  handle({ key, token }: ConfirmMove, startedMs: number): Promise<ConfirmMoveResult> {
    return this.updates.apply<MoveTokenFailure | 'address_taken' | 'user_too_large'>(
      {
        key,
        authorize: authorizeByMoveToken('confirmDigest', token, this.policy, this.clock),
        transition: (user) => right(confirmMove(user, this.clock.now())),
        events: ['user.updated', 'address.changed'],
        whenTooLarge: 'user_too_large',
        whenTaken: 'address_taken',
      },
      startedMs,
    );
  }
}

/** Ends an address move, if the caller holds the token that was sent to the present one. */
export class CancelMoveHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly policy: OneTimeTokenPolicy,
  ) {}

  handle({ key, token }: CancelMove, startedMs: number): Promise<CancelMoveResult> {
    return this.updates.apply<MoveTokenFailure>(
      {
        key,
        authorize: authorizeByMoveToken('cancelDigest', token, this.policy, this.clock),
        transition: (user) => right(cancelMove(user, this.clock.now())),
        events: ['user.updated'],
      },
      startedMs,
    );
  }
}

export interface CheckMove {
  readonly type: 'CheckChange';
  /** The address that the user has. */
  readonly key: UserKey;
  readonly token: string;
  /** What the token is for. */
  readonly action: 'confirm' | 'cancel';
  /** Whether that has been done with the token already; by default it has not. */
  readonly isUsed?: boolean;
}

export type CheckMoveResult = Either<Failure<MoveTokenFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckChange: OptionalUseCase<CheckMove, CheckMoveResult>;
  }
}

/** Reads the user whose address move a token would confirm or cancel, without changing anything. */
export class CheckMoveHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly policy: OneTimeTokenPolicy,
  ) {}

  async handle({ key, token, action, isUsed }: CheckMove): Promise<CheckMoveResult> {
    const digest = action === 'confirm' ? 'confirmDigest' : 'cancelDigest';
    const authorize = authorizeByMoveToken(digest, token, this.policy, this.clock, isUsed);
    return authorize(await this.users.find(key));
  }
}
