import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { isExpired, type OneTimeTokenPolicy, type OutstandingToken } from '../../domain/one-time-token.ts';
import { type PasswordTokenField, passwordTokenOf, recoverPassword } from '../../domain/recovery.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { isChangeRequired } from '../../domain/user-state.ts';
import { isOutstanding } from '../constant-time.ts';
import { digestOfLinkToken, type MailedTokens, tokenCheck } from '../mailed-tokens.ts';
import { type ForgottenCounts, forgetFailures } from '../passwords/attempt-counting.ts';
import type { NewPasswordFailure, PasswordUpdate, StoredHash } from '../passwords/password-update.ts';
import type { AttemptThrottle } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { Authorization } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface ConfirmRecovery {
  readonly type: 'ConfirmRecovery';
  readonly key: UserKey;
  readonly token: string;
  /** The new password; its hash where clients hash passwords. */
  readonly password: string;
}

/** The same with the token of an invitation. */
export interface ConfirmInvitation extends Omit<ConfirmRecovery, 'type'> {
  readonly type: 'ConfirmInvitation';
}

type RecoveryTokenFailure = 'token_mismatch' | 'token_expired' | 'too_many_attempts';

export type ConfirmRecoveryFailure =
  | RecoveryTokenFailure
  | NewPasswordFailure
  | 'password_change_required'
  | 'user_too_large'
  | 'contended';

/** Right: the user with the new password. */
export type ConfirmRecoveryResult = Either<Failure<ConfirmRecoveryFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly ConfirmRecovery: OptionalUseCase<ConfirmRecovery, ConfirmRecoveryResult>;
    readonly ConfirmInvitation: OptionalUseCase<ConfirmInvitation, ConfirmRecoveryResult>;
  }
}

/** The outcome after a comparison. `held` is the token if the caller has it: only its holder may learn that it has expired. */
const afterComparison = (
  stored: StoredUser | undefined,
  held: OutstandingToken | undefined,
  { lifetimeMs }: OneTimeTokenPolicy,
  now: number,
): CheckRecoveryResult => {
  if (stored === undefined || held === undefined) return left(failure('token_mismatch'));
  return isExpired(held.time, lifetimeMs, now) ? left(failure('token_expired')) : right(stored);
};

/**
 * Replaces a forgotten password, if the caller holds the outstanding token. A refused password neither uses the token
 * nor counts as a wrong one. An unknown or disabled user is refused like a wrong token, after the same work.
 */
export class ConfirmRecoveryHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly passwords: PasswordUpdate,
    private readonly tokens: MailedTokens,
    private readonly clock: Clock,
    private readonly limits: OneTimeTokenPolicy,
    /** Counts wrong tokens. */
    private readonly throttle: AttemptThrottle,
    /** What is counted of a user, which a new password resets. */
    private readonly counters: ForgottenCounts = {},
    private readonly field: PasswordTokenField = 'recovery',
  ) {}

  async handle(command: ConfirmRecovery | ConfirmInvitation, startedMs: number): Promise<ConfirmRecoveryResult> {
    const { key, password } = command;
    let hash: StoredHash | undefined;
    const updated = await this.updates.apply<ConfirmRecoveryFailure>(
      {
        key,
        authorize: this.authorizationOf(command),
        transition: async (user) => {
          // Kept for a repeated attempt of the update, because hashing is slow.
          hash ??= await this.passwords.storedHash(password, [user.email.address]);
          if (isLeft(hash)) return hash;
          const passwords = { supplied: undefined, given: password };
          if (isChangeRequired(user) && (await this.passwords.keepsPassword(user.password, hash.right, passwords)))
            return left(failure('password_change_required'));
          return right(recoverPassword(user, hash.right, this.clock.now()));
        },
        events: ['password.changed', 'verification.confirmed'],
        isRecovery: this.field === 'recovery',
        whenTooLarge: 'user_too_large',
      },
      startedMs,
    );
    // The password is stored, so that a failure here is not one of the request; the block ends by itself.
    if (!isLeft(updated)) await forgetFailures(this.counters, updated.right).catch(() => undefined);
    return updated;
  }

  private authorizationOf({ key, token }: Omit<ConfirmRecovery, 'type'>): Authorization<RecoveryTokenFailure> {
    const check = tokenCheck(this.tokens, this.throttle, { user: key, client: undefined }, token);
    return async (stored) => {
      const now = this.clock.now();
      // Made with the address, and counted under the given key, which alone does not tell whether a user has it.
      const user = stored === undefined ? key : keyOf(stored.user.email.address);
      const outstanding = stored && passwordTokenOf(stored.user, this.field, now);
      const checked = await check(user, outstanding?.digest);
      if (isLeft(checked)) return checked;
      return afterComparison(stored, checked.right ? outstanding : undefined, this.limits, now);
    };
  }
}

export interface CheckRecovery extends Pick<ConfirmRecovery, 'key' | 'token'> {
  readonly type: 'CheckRecovery';
}

export interface CheckInvitation extends Omit<CheckRecovery, 'type'> {
  readonly type: 'CheckInvitation';
}

export type CheckRecoveryResult = Either<Failure<'token_mismatch' | 'token_expired'>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckRecovery: OptionalUseCase<CheckRecovery, CheckRecoveryResult>;
    readonly CheckInvitation: OptionalUseCase<CheckInvitation, CheckRecoveryResult>;
  }
}

/** Reads the user whose password a token of a link would replace, without changing anything. It counts no wrong token. */
export class CheckRecoveryHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly limits: OneTimeTokenPolicy,
    private readonly field: PasswordTokenField = 'recovery',
  ) {}

  async handle({ key, token }: CheckRecovery | CheckInvitation): Promise<CheckRecoveryResult> {
    const stored = await this.users.find(key);
    const now = this.clock.now();
    const outstanding = stored && passwordTokenOf(stored.user, this.field, now);
    const isRight = isOutstanding(outstanding?.digest, digestOfLinkToken(token));
    return afterComparison(stored, isRight ? outstanding : undefined, this.limits, now);
  }
}
