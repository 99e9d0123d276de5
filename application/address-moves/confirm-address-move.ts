import { type Either, right } from 'fp-ts/lib/Either.js';
import { cancelChange, confirmChange } from '../../domain/address-move.ts';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import { authorizeByChangeToken, type ChangePolicy, type ChangeTokenFailure } from './address-moves.ts';

export interface ConfirmChange {
  readonly type: 'ConfirmChange';
  /** The present address. */
  readonly key: EmailKey;
  readonly token: string;
}

/** Right: the user with the new address. */
export type ConfirmChangeResult = Either<
  Failure<ChangeTokenFailure | 'address_taken' | 'user_too_large' | 'contended'>,
  StoredUser
>;

export interface CancelChange extends Omit<ConfirmChange, 'type'> {
  readonly type: 'CancelChange';
}

/** Right: the user, who keeps the address. */
export type CancelChangeResult = Either<Failure<ChangeTokenFailure | 'contended'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly ConfirmChange: OptionalUseCase<ConfirmChange, ConfirmChangeResult>;
    readonly CancelChange: OptionalUseCase<CancelChange, CancelChangeResult>;
  }
}

/** Gives a user the new address, if the caller holds the token that was sent there. */
export class ConfirmChangeHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly policy: ChangePolicy,
    private readonly limits: UserLimits,
  ) {}

  handle({ key, token }: ConfirmChange, startedMs: number): Promise<ConfirmChangeResult> {
    return this.updates.apply<ChangeTokenFailure | 'address_taken' | 'user_too_large' | 'contended'>(
      {
        key,
        authorize: authorizeByChangeToken('pendingDigest', token, this.policy, this.clock),
        transition: (user) => this.limits.checkSize(confirmChange(user, this.clock.now())),
        events: ['user.updated', 'address.changed'],
        whenContended: 'contended',
        whenTaken: 'address_taken',
      },
      startedMs,
    );
  }
}

/** Ends a change of address, if the caller holds the token that was sent to the present one. */
export class CancelChangeHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly policy: ChangePolicy,
  ) {}

  handle({ key, token }: CancelChange, startedMs: number): Promise<CancelChangeResult> {
    return this.updates.apply<ChangeTokenFailure | 'contended'>(
      {
        key,
        authorize: authorizeByChangeToken('cancelDigest', token, this.policy, this.clock),
        transition: (user) => right(cancelChange(user, this.clock.now())),
        events: ['user.updated'],
        whenContended: 'contended',
      },
      startedMs,
    );
  }
}

export interface CheckChange {
  readonly type: 'CheckChange';
  /** The address that the user has. */
  readonly key: EmailKey;
  readonly token: string;
  /** What the token is for. */
  readonly action: 'confirm' | 'cancel';
  /** Whether that has been done with the token already; by default it has not. */
  readonly isUsed?: boolean;
}

export type CheckChangeResult = Either<Failure<ChangeTokenFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckChange: OptionalUseCase<CheckChange, CheckChangeResult>;
  }
}

/** Reads the user whose change of address a token would confirm or cancel, without changing anything. */
export class CheckChangeHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly policy: ChangePolicy,
  ) {}

  async handle({ key, token, action, isUsed }: CheckChange): Promise<CheckChangeResult> {
    const digest = action === 'confirm' ? 'pendingDigest' : 'cancelDigest';
    const authorize = authorizeByChangeToken(digest, token, this.policy, this.clock, isUsed);
    return authorize(await this.users.find(key));
  }
}
