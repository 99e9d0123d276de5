import type { ConfirmVerification, ConfirmVerificationResult } from './commands/confirm-verification.ts';
import type { CreateUser, CreateUserResult } from './commands/create-user.ts';
import type { DeleteUser, DeleteUserResult } from './commands/delete-user.ts';
import type { ResetVerification, ResetVerificationResult } from './commands/reset-verification.ts';
import type { SendVerification, SendVerificationResult } from './commands/send-verification.ts';
import type { UpdateUser, UpdateUserResult } from './commands/update-user.ts';
import type { Interceptor } from './interceptor.ts';
import type { CheckVerification, CheckVerificationResult } from './queries/check-verification.ts';
import type { GetUser, GetUserResult } from './queries/get-user.ts';

/** A use case: the message that asks for it, and its result. */
export type UseCase<Message, Result> = { readonly message: Message; readonly result: Result };

type Catalogue<C> = { readonly [T in keyof C]: UseCase<{ readonly type: T & string }, unknown> };

/** One handler for each message of a catalogue; a missing handler does not compile. */
export type Handlers<C extends Catalogue<C>> = {
  readonly [T in keyof C]: { handle(message: C[T]['message']): Promise<C[T]['result']> };
};

/** Passes each message to its handler. The interceptor wraps every dispatch; its operation is the type of the message. */
export class Bus<C extends Catalogue<C>> {
  constructor(
    private readonly handlers: Handlers<C>,
    private readonly intercept: Interceptor,
  ) {}

  dispatch<T extends keyof C & string>(message: C[T]['message'] & { readonly type: T }): Promise<C[T]['result']> {
    return this.intercept(message.type, () => this.handlers[message.type].handle(message));
  }
}

/** Use cases that change a user. */
export type Commands = {
  readonly CreateUser: UseCase<CreateUser, CreateUserResult>;
  readonly UpdateUser: UseCase<UpdateUser, UpdateUserResult>;
  readonly DeleteUser: UseCase<DeleteUser, DeleteUserResult>;
  readonly SendVerification: UseCase<SendVerification, SendVerificationResult>;
  readonly ConfirmVerification: UseCase<ConfirmVerification, ConfirmVerificationResult>;
  readonly ResetVerification: UseCase<ResetVerification, ResetVerificationResult>;
};

/** Use cases that only read. */
export type Queries = {
  readonly GetUser: UseCase<GetUser, GetUserResult>;
  readonly CheckVerification: UseCase<CheckVerification, CheckVerificationResult>;
};

export class CommandBus extends Bus<Commands> {}
export class QueryBus extends Bus<Queries> {}
