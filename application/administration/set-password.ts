import { isLeft, right } from 'fp-ts/lib/Either.js';
import type { User } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { requirePasswordChange, withdrawPasswordChange } from '../../domain/user-state.ts';
import { withPassword } from '../../domain/user-update.ts';
import type { NewPasswordFailure, PasswordUpdate } from '../passwords/password-update.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { ChangeCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import { type AdministratorResult, updateForAdministrator } from './administrator-update.ts';

export interface SetPassword extends ChangeCaller {
  readonly type: 'SetPassword';
  /** In clear or, where clients hash passwords, also a hash. */
  readonly password: string;
}

export type SetPasswordResult = AdministratorResult<NewPasswordFailure | 'user_too_large'>;

export interface ClearPassword extends ChangeCaller {
  readonly type: 'ClearPassword';
}

export type ClearPasswordResult = AdministratorResult<'user_too_large'>;

export interface RequirePasswordChange extends ChangeCaller {
  readonly type: 'RequirePasswordChange';
}

export interface WithdrawPasswordChange extends ChangeCaller {
  readonly type: 'WithdrawPasswordChange';
}

declare module '../bus.ts' {
  interface Administration {
    readonly SetPassword: UseCase<SetPassword, SetPasswordResult>;
    readonly ClearPassword: UseCase<ClearPassword, ClearPasswordResult>;
    readonly RequirePasswordChange: UseCase<RequirePasswordChange, AdministratorResult>;
    readonly WithdrawPasswordChange: UseCase<WithdrawPasswordChange, AdministratorResult>;
  }
}

/** Stores the hash of another password. */
const passwordChange = (hash: string, clock: Clock, limits: UserLimits) =>
  ({
    transition: (user: User) => limits.checkSize(withPassword(user, hash, clock.now())),
    events: ['user.updated', 'password.changed'],
  }) as const;

/** Gives a user another password. A change that was required of the user stays required. */
export class SetPasswordHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly passwords: PasswordUpdate,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
  ) {}

  async handle(command: SetPassword, startedMs: number): Promise<SetPasswordResult> {
    const stored = await this.passwords.storedHashOf(command.password, [command.key]);
    if (isLeft(stored)) return stored;
    const change = passwordChange(stored.right, this.clock, this.limits);
    return updateForAdministrator<'user_too_large'>(this.updates, command, change, startedMs);
  }
}

/**
 * Replaces the password of a user with a random one of 122 bits, which is not kept. The user has a valid hash, so that
 * a check takes as long as before, and an export can be imported again.
 */
export class ClearPasswordHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly algorithm: PasswordHash,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
  ) {}

  async handle(command: ClearPassword, startedMs: number): Promise<ClearPasswordResult> {
    const stored = await this.algorithm.hash(crypto.randomUUID());
    const change = passwordChange(stored, this.clock, this.limits);
    return updateForAdministrator<'user_too_large'>(this.updates, command, change, startedMs);
  }
}

/** Refuses every operation of a user until the user sets another password. */
export class RequirePasswordChangeHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
  ) {}

  handle(command: RequirePasswordChange, startedMs: number): Promise<AdministratorResult> {
    const change = {
      transition: (user: User) => right(requirePasswordChange(user, this.clock.now())),
      events: ['user.updated'],
    } as const;
    return updateForAdministrator(this.updates, command, change, startedMs);
  }
}

/** Lets a user keep a password that had to be changed. */
export class WithdrawPasswordChangeHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
  ) {}

  handle(command: WithdrawPasswordChange, startedMs: number): Promise<AdministratorResult> {
    const change = {
      transition: (user: User) => right(withdrawPasswordChange(user, this.clock.now())),
      events: ['user.updated'],
    } as const;
    return updateForAdministrator(this.updates, command, change, startedMs);
  }
}
