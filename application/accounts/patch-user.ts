import { map } from 'fp-ts/lib/Either.js';
import type { CustomProperties } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import type { UserUpdate } from '../../domain/user-update.ts';
import type { UseCase } from '../bus.ts';
import type { EditingCaller, UserEdit, UserEditor, UserEditResult } from './update-user.ts';

export interface PatchUser extends EditingCaller {
  readonly type: 'PatchUser';
  /** Omitted members keep their value, except that a new address resets the verification. */
  readonly email: Partial<Omit<UserUpdate, 'properties'>>;
  /** Returns custom properties with the changes of the patch: the same text if it changes nothing. */
  readonly changeProperties: (properties: CustomProperties) => CustomProperties;
  /** Whether a patch that changes nothing is written, too, because the caller could guess hidden values otherwise. */
  readonly writesUnchanged?: boolean;
}

declare module '../bus.ts' {
  interface Commands {
    readonly PatchUser: UseCase<PatchUser, UserEditResult>;
  }
}

/**
 * Changes the members of a user that a patch names, in the newest version of the user: changes of other members by
 * other callers are kept. A patch that changes nothing writes nothing by default.
 */
export class PatchUserHandler {
  constructor(
    private readonly editor: UserEditor,
    private readonly limits: UserLimits,
  ) {}

  handle(
    { email, changeProperties, writesUnchanged = false, ...caller }: PatchUser,
    startedMs: number,
  ): Promise<UserEditResult> {
    const updateOf: UserEdit['updateOf'] = (user) => {
      const properties = changeProperties(user.properties);
      const update = { ...email, address: email.address ?? user.email.address, properties };
      return map(() => update)(this.limits.checkProperties(properties));
    };
    return this.editor.edit({ ...caller, updateOf, isPatch: true, skipsUnchanged: !writesUnchanged }, startedMs);
  }
}
