import type { ConfirmVerificationCase } from './commands/confirm-verification.ts';
import type { CreateUserCase } from './commands/create-user.ts';
import type { DeleteUserCase } from './commands/delete-user.ts';
import type { ResetVerificationCase } from './commands/reset-verification.ts';
import type { SendVerificationCase } from './commands/send-verification.ts';
import type { UpdateUserCase } from './commands/update-user.ts';
import type { Interceptor } from './interceptor.ts';
import type { CheckVerificationCase } from './queries/check-verification.ts';
import type { GetUserCase } from './queries/get-user.ts';
import type { ListUsersCase } from './queries/list-users.ts';
import type { UseCase } from './use-case.ts';

type Catalogue<C> = { readonly [T in keyof C]: UseCase<{ readonly type: T & string }, unknown> };

/** One handler for each message of a catalogue; a missing handler does not compile. */
export type Handlers<C extends Catalogue<C>> = {
  readonly [T in keyof C]: { handle(message: C[T]['message']): Promise<C[T]['result']> };
};

/** Passes each message to its handler. */
export class Bus<C extends Catalogue<C>> {
  constructor(
    private readonly handlers: Handlers<C>,
    /** Wraps every dispatch; the operation is the type of the message. */
    private readonly intercept: Interceptor,
  ) {}

  dispatch<T extends keyof C & string>(message: C[T]['message'] & { readonly type: T }): Promise<C[T]['result']> {
    return this.intercept(message.type, () => this.handlers[message.type].handle(message));
  }
}

/** Use cases that change a user. */
export type Commands = {
  readonly CreateUser: CreateUserCase;
  readonly UpdateUser: UpdateUserCase;
  readonly DeleteUser: DeleteUserCase;
  readonly SendVerification: SendVerificationCase;
  readonly ConfirmVerification: ConfirmVerificationCase;
  readonly ResetVerification: ResetVerificationCase;
};

/** Use cases that only read. */
export type Queries = {
  readonly GetUser: GetUserCase;
  readonly CheckVerification: CheckVerificationCase;
};

export class CommandBus extends Bus<Commands> {}
export class QueryBus extends Bus<Queries> {}

/** Use cases of administrators, who do not have the password of a user. */
export type Administration = Pick<Commands, 'DeleteUser' | 'ResetVerification'> &
  Pick<Queries, 'GetUser'> & {
    readonly ListUsers: ListUsersCase;
  };

export class AdministrationBus extends Bus<Administration> {}
