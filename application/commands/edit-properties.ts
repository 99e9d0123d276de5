import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { CustomProperties } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { unlessUnchanged, updateTime } from '../../domain/user-update.ts';
import { type ChangeCaller, unrestricted } from '../passwords/authorizer.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';

export interface EditProperties extends ChangeCaller {
  readonly type: 'EditProperties';
  /** Returns the new custom properties for the newest version of the user; the same text changes nothing. */
  readonly changeProperties: (properties: CustomProperties) => CustomProperties;
}

type EditFailure = 'user_not_found' | 'stale_user' | 'contended' | 'invalid_properties' | 'user_too_large';

export type EditPropertiesResult = Either<Failure<EditFailure>, StoredUser>;

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
    return this.updates.apply<EditFailure>(
      {
        key: command.key,
        authorize: unrestricted.authorizationOf(command),
        transition: (user) => {
          const properties = command.changeProperties(user.properties);
          const allowed = this.limits.checkProperties(properties);
          if (isLeft(allowed)) return allowed;
          const lastUpdateTime = updateTime(user, this.clock.now());
          const next = unlessUnchanged(user, { ...user, properties, lastUpdateTime });
          return next === user ? right(user) : this.limits.checkSize(next);
        },
        events: ['user.updated'],
        whenContended: 'contended',
      },
      startedMs,
    );
  }
}
