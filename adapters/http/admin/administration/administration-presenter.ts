import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Administration } from '../../../../application/bus.ts';
import { userJsonWithoutPassword } from '../../../../domain/user.ts';
import { type Refusal, refusalOf } from '../../api/problems.ts';
import type { Answer } from '../../api/route.ts';
import { jsonHeaders, userReference } from '../../api/user-presenter.ts';
import type { Reply } from '../../server/response.ts';
import { cursorOf } from './cursor.ts';

/** A page of users and the cursor of the next one, null after the last; or why not. */
export const presentPage = (outcome: Administration['ListUsers']['result']): Either<Refusal, Reply> => {
  if (isLeft(outcome)) return left(refusalOf(outcome.left));
  const { users, next } = outcome.right;
  const cursor = next === undefined ? 'null' : `"${cursorOf(next)}"`;
  const body = `{"users":[${users.map(userJsonWithoutPassword).join(',')}],"next":${cursor}}`;
  return right({ status: 200, headers: jsonHeaders, body });
};

/** How an answer with a page is described. */
export const pageAnswer: Answer = {
  description: 'A page of users, without their passwords; `next` is null after the last one.',
  content: {
    type: 'application/json',
    schema: {
      type: 'object',
      required: ['users', 'next'],
      properties: { users: { type: 'array', items: userReference }, next: { type: ['string', 'null'] } },
    },
  },
};
