import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import { type User, userJson } from '../../domain/user.ts';
import { type Refusal, refusalOf } from './problems.ts';
import type { Reply } from './reply.ts';
import type { Answer, Schema } from './route.ts';

const json = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

/** A use case's outcome as an answer: the user with this status, or the refusal. */
export const present = (status: number, outcome: Either<Failure, User>): Either<Refusal, Reply> =>
  isLeft(outcome) ? left(refusalOf(outcome.left)) : right({ status, headers: json, body: userJson(outcome.right) });

const milliseconds: Schema = { type: 'integer', description: 'Milliseconds since the epoch.' };

/** The user as every JSON endpoint returns it (specification, section 2). */
export const userSchema: Schema = {
  type: 'object',
  required: ['email', 'password', 'creationTime', 'lastUpdateTime'],
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
    password: { type: 'string', description: 'The stored form: a hash where the service hashes.' },
    creationTime: milliseconds,
    lastUpdateTime: milliseconds,
  },
  additionalProperties: true,
};

export const userReference: Schema = { $ref: '#/components/schemas/User' };

/** How an answer with a user is described; `changes` are laid over the example. */
export const userAnswer = (
  description: string,
  changes: { readonly verified?: boolean; readonly verificationToken?: string | null; readonly later?: boolean } = {},
): Answer => ({
  description,
  content: {
    type: 'application/json',
    schema: userReference,
    example: {
      email: {
        address: 'jane@example.com',
        verified: changes.verified ?? false,
        verificationToken: changes.verificationToken ?? null,
      },
      password: '$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c',
      creationTime: 1767225600000,
      lastUpdateTime: changes.later === true ? 1767229200000 : 1767225600000,
      name: 'Jane',
    },
  },
});
