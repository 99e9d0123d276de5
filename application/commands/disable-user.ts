import { right } from 'fp-ts/lib/Either.js';
import type { User } from '../../domain/user.ts';
import { type Disablement, disableUser, enableUser } from '../../domain/user-state.ts';
import type { ChangeCaller } from '../passwords/authorizer.ts';
import type { Clock } from '../ports/clock.ts';
import { type AdministratorResult, updateForAdministrator } from '../users/administrator-update.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';

export interface DisableUser extends ChangeCaller, Disablement {
  readonly type: 'DisableUser';
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

/** Refuses every operation of a user for good or until a time. Changes nothing for a user who is disabled so already. */
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

/** Ends the state of a disabled user. */
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
