import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { EmailAddress } from '../../domain/email-address.ts';
import { type Failure, type FieldError, failure } from '../../domain/failure.ts';
import { type CustomProperties, propertyValues, type UserId } from '../../domain/user.ts';
import type { UniqueProperty } from '../../domain/user-name.ts';
import type { CreateUser, NewUserFailure, NewUsers } from '../accounts/create-user.ts';
import { delayedRequest, limitedLanguages, type RequestBacklog } from '../outgoing/delayed-requests.ts';
import type { EventOutbox } from '../ports/event-outbox.ts';

export interface RequestSignUp extends Omit<CreateUser, 'type'> {
  readonly type: 'RequestSignUp';
  /** The languages of the request, in order of preference (RFC 5646). */
  readonly languages: readonly string[];
}

/** Nothing: the result is the same for every address. */
export type RequestSignUpResult = Either<Failure<NewUserFailure>, undefined>;

declare module '../bus.ts' {
  interface Commands {
    readonly RequestSignUp: OptionalUseCase<RequestSignUp, RequestSignUpResult>;
  }
}

/** What is stored about a sign-up until it is answered by CompleteSignUp. */
export interface StoredSignUp {
  readonly address: EmailAddress;
  /** The stored hash of the password. */
  readonly hash: string;
  readonly properties: CustomProperties;
  /** The id of the new user, where users have ids. */
  readonly id?: UserId | undefined;
  readonly languages: readonly string[];
  /** When it was requested, in milliseconds since the epoch: the creation time of the new user. */
  readonly requestedTime: number;
}

/** The destination of stored sign-ups in the outbox. No webhook has it. */
export const signUpDestination = 'signup';

/** What every store can keep in one record. */
const maxStoredBytes = 300 * 1024;

const namedLater = 'must be set after a quiet sign-up, which does not say whether another user has it';

/**
 * Stores a sign-up after all checks that do not depend on stored users, and after the hash: neither the response nor its
 * time depends on whether the address is known. The stored sign-up is answered after a random delay. Throws a Fault while
 * too many sign-ups wait.
 *
 * Ids and unique properties are refused. Whether they are taken would have to be said, and after a sign-up with an unused
 * one it would be taken only if the address was unknown.
 */
export class RequestSignUpHandler {
  constructor(
    private readonly newUsers: NewUsers,
    private readonly outbox: Pick<EventOutbox, 'add'>,
    /** Throws a Fault while too many sign-ups wait. */
    private readonly backlog: Pick<RequestBacklog, 'admit'>,
    private readonly unique: readonly UniqueProperty[],
  ) {}

  async handle({ type: _, languages, ...command }: RequestSignUp): Promise<RequestSignUpResult> {
    const errors = this.nameErrors(command);
    if (errors.length > 0) return left(failure('invalid_properties', errors));
    await this.backlog.admit();
    const made = await this.newUsers.make(command);
    if (isLeft(made)) return made;
    const { id, email, password: hash, properties, creationTime: requestedTime } = made.right;
    const { address } = email;
    const stored = { address, hash, properties, id, requestedTime, languages: limitedLanguages(languages) };
    if (Buffer.byteLength(JSON.stringify(stored)) > maxStoredBytes) return left(failure('user_too_large'));
    await this.outbox.add([delayedRequest(signUpDestination, stored)]);
    return right(undefined);
  }

  private nameErrors({ id, properties }: Pick<CreateUser, 'id' | 'properties'>): readonly FieldError[] {
    const values = this.unique.length === 0 ? new Map() : propertyValues({ properties });
    const given = this.unique.map(({ name }) => name).filter((name) => values.has(name));
    return [...(id === undefined ? [] : ['id']), ...given].map((path) => ({ path, message: namedLater }));
  }
}
