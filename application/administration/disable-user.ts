import { right } from 'fp-ts/lib/Either.js';
import type { User } from '../../domain/user.ts';
import { disableUser, enableUser } from '../../domain/user-state.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChangeCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import { type AdministratorResult, updateForAdministrator } from './administrator-update.ts';

export interface DisableUser extends ChangeCaller {
  readonly type: 'DisableUser';
  readonly reason: string;
  /** In milliseconds since the epoch; undefined for good. */
  readonly until: number | undefined;
}

export interface EnableUser extends ChangeCaller {
  readonly type: 'EnableUser';
}

declare module '../bus.ts' {
  interface Administration {
    readonly DisableUser: UseCase<DisableUser, AdministratorResult>;
    readonly EnableUser: UseCase<EnableUser, AdministratorResult>;
  }
}

/** Disables a user permanently or until a time. Writes nothing if the user has the same reason and end already. */
export class DisableUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
  ) {}

  handle(command: DisableUser, startedMs: number): Promise<AdministratorResult> {
    const change = {
      transition: (user: User) => right(disableUser(user, command, this.clock.now())),
      events: ['user.disabled'],
    } as const;
    return updateForAdministrator(this.updates, command, change, startedMs);
  }
}

/** Enables a disabled user. Writes nothing if the user is not disabled. */
export class EnableUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
  ) {}

  handle(command: EnableUser, startedMs: number): Promise<AdministratorResult> {
    const change = {
      transition: (user: User) => right(enableUser(user, this.clock.now())),
      events: ['user.enabled'],
    } as const;
    return updateForAdministrator(this.updates, command, change, startedMs);
  }
}
