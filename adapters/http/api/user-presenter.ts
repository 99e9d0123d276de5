import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../../domain/failure.ts';
import { type User, userJson, userJsonWithoutPassword } from '../../../domain/user.ts';
import type { Reply } from '../server/response.ts';
import { type Refusal, refusalOf } from './problems.ts';
import type { Answer, Schema } from './route.ts';

/** The headers of every answer with a user. */
export const jsonHeaders = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

/** How users are written for callers, and described. */
export interface UserPresenter {
  /** A use case's outcome as an answer: the user with this status, or the refusal. */
  present(status: number, outcome: Either<Failure, User>): Either<Refusal, Reply>;
  /** How an answer with a user is described; `changes` are laid over the example. */
  answer(description: string, changes?: ExampleChanges): Answer;
  readonly schema: Schema;
}

/** In what the user of an example differs from a new one. */
interface ExampleChanges {
  readonly verified?: boolean;
  readonly verificationToken?: string | null;
  readonly later?: boolean;
}

const milliseconds: Schema = { type: 'integer', description: 'Milliseconds since the epoch.' };

/** The user as every JSON endpoint returns it (specification, section 2). */
const userSchema = (withPassword: boolean): Schema => ({
  type: 'object',
  required: ['email', ...(withPassword ? ['password'] : []), 'creationTime', 'lastUpdateTime'],
  properties: {
    email: {
      type: 'object',
      required: ['address', 'verified', 'verificationToken'],
      properties: {
        address: { type: 'string', format: 'email' },
        verified: { type: 'boolean' },
        verificationToken: { type: ['string', 'null'], description: 'Null until a verification mail is asked for.' },
      },
      additionalProperties: false,
    },
    ...(withPassword && {
      password: { type: 'string', description: 'The stored form: a hash where the service hashes.' },
    }),
    creationTime: milliseconds,
    lastUpdateTime: milliseconds,
  },
  additionalProperties: true,
});

export const userReference: Schema = { $ref: '#/components/schemas/User' };

const example = ({ verified = false, verificationToken = null, later = false }: ExampleChanges) => ({
  email: { address: 'jane@example.com', verified, verificationToken },
  password: '$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c',
  creationTime: 1767225600000,
  lastUpdateTime: later ? 1767229200000 : 1767225600000,
  name: 'Jane',
});

const presenter = (
  write: (user: User) => string,
  schema: Schema,
  exampleOf: (changes: ExampleChanges) => object,
): UserPresenter => ({
  present: (status, outcome) =>
    isLeft(outcome)
      ? left(refusalOf(outcome.left))
      : right({ status, headers: jsonHeaders, body: write(outcome.right) }),
  answer: (description, changes = {}) => ({
    description,
    content: { type: 'application/json', schema: userReference, example: exampleOf(changes) },
  }),
  schema,
});

/** Shows the whole user. */
export const wholeUsers: UserPresenter = presenter(userJson, userSchema(true), example);

/** Shows users without the stored form of their password. */
export const usersWithoutPassword: UserPresenter = presenter(userJsonWithoutPassword, userSchema(false), (changes) => {
  const { password: _, ...others } = example(changes);
  return others;
});
