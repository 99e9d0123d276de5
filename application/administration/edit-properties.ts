import { isLeft, right } from 'fp-ts/lib/Either.js';
import type { CustomProperties } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { unlessUnchanged, updateTime } from '../../domain/user-update.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChangeCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import { type AdministratorResult, updateForAdministrator } from './administrator-update.ts';

export interface EditProperties extends ChangeCaller {
  readonly type: 'EditProperties';
  /** Returns the new custom properties for the newest version of the user; the same text changes nothing. */
  readonly changeProperties: (properties: CustomProperties) => CustomProperties;
}

type EditFailure = 'invalid_properties' | 'user_too_large';

export type EditPropertiesResult = AdministratorResult<EditFailure>;

declare module '../bus.ts' {
  interface Administration {
    readonly EditProperties: UseCase<EditProperties, EditPropertiesResult>;
  }
}

/** Changes the custom properties of a user for an administrator, within the rules and limits of an update. */
export class EditPropertiesHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
  ) {}

  handle(command: EditProperties, startedMs: number): Promise<EditPropertiesResult> {
    return updateForAdministrator<EditFailure>(
      this.updates,
      command,
      {
        transition: (user) => {
          const properties = command.changeProperties(user.properties);
          const allowed = this.limits.checkProperties(properties);
          if (isLeft(allowed)) return allowed;
          const lastUpdateTime = updateTime(user, this.clock.now());
          const next = unlessUnchanged(user, { ...user, properties, lastUpdateTime });
          return next === user ? right(user) : this.limits.checkSize(next);
        },
        events: ['user.updated'],
      },
      startedMs,
    );
  }
}
