import { Bus } from './bus.ts';
import type { ConfirmVerificationCase } from './commands/confirm-verification.ts';
import type { CreateUserCase } from './commands/create-user.ts';
import type { DeleteUserCase } from './commands/delete-user.ts';
import type { ResetVerificationCase } from './commands/reset-verification.ts';
import type { SendVerificationCase } from './commands/send-verification.ts';
import type { UpdateUserCase } from './commands/update-user.ts';
import type { CheckVerificationCase } from './queries/check-verification.ts';
import type { GetUserCase } from './queries/get-user.ts';
import type { ListUsersCase } from './queries/list-users.ts';

/** Everything that changes a user. */
export type Commands = {
  readonly CreateUser: CreateUserCase;
  readonly UpdateUser: UpdateUserCase;
  readonly DeleteUser: DeleteUserCase;
  readonly SendVerification: SendVerificationCase;
  readonly ConfirmVerification: ConfirmVerificationCase;
  readonly ResetVerification: ResetVerificationCase;
};

/** Everything that can be asked without a change. */
export type Queries = {
  readonly GetUser: GetUserCase;
  readonly CheckVerification: CheckVerificationCase;
};

export class CommandBus extends Bus<Commands> {}
export class QueryBus extends Bus<Queries> {}

/** What an administrator may ask, who knows no password of a user. */
export type Administration = Pick<Commands, 'DeleteUser' | 'ResetVerification'> &
  Pick<Queries, 'GetUser'> & {
    readonly ListUsers: ListUsersCase;
  };

export class AdministrationBus extends Bus<Administration> {}
