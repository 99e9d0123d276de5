import { isLeft, right } from 'fp-ts/lib/Either.js';
import type { UserLimits } from '../../domain/user-limits.ts';
import type { UserUpdate } from '../../domain/user-update.ts';
import type { UseCase } from '../bus.ts';
import type { ChangeCaller } from '../writing/authorization.ts';
import type { UserEditor, UserEditResult } from './user-editor.ts';

export interface UpdateUser extends ChangeCaller {
  readonly type: 'UpdateUser';
  readonly update: UserUpdate;
  /** The new password; undefined keeps the current one. */
  readonly newPassword: string | undefined;
  /** The languages of the request, in order of preference; none by default. */
  readonly languages?: readonly string[] | undefined;
}

export type UpdateUserResult = UserEditResult;

declare module '../bus.ts' {
  interface Commands {
    readonly UpdateUser: UseCase<UpdateUser, UpdateUserResult>;
  }
}

/** Replaces a user, possibly under a new address. */
export class UpdateUserHandler {
  constructor(
    private readonly editor: UserEditor,
    private readonly limits: UserLimits,
  ) {}

  async handle(command: UpdateUser, startedMs: number): Promise<UpdateUserResult> {
    const { update } = command;
    // Before the user is read or a password is checked.
    const allowed = this.limits.checkProperties(update.properties);
    if (isLeft(allowed)) return allowed;
    return this.editor.edit({ ...command, updateOf: () => right(update), skipsUnchanged: false }, startedMs);
  }
}
