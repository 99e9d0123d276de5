import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { administrator as by } from '../../../../../application/administration/administrator.ts';
import { keyOf, keyPrefix } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import type { ProblemCode } from '../../../api/problems.ts';
import type { OperatorPage } from '../../../pages/operator-pages.ts';
import type { UserPageParts } from '../administered-user.ts';
import { recordsOf } from '../administration-parameters.ts';
import { cursorOf, orderOf, positionIn } from '../list-cursors.ts';
import { sinceAgo } from '../list-parameters.ts';
import type { Buses } from '../user-action.ts';
import { type UserReference, UserReferences } from '../user-references.ts';
import { listPage } from './list-pages.ts';
import { type ListQuery, pageSizes } from './list-query.ts';

const isSameUser = (one: User, other: User): boolean => keyOf(one.email.address) === keyOf(other.email.address);

/** The list of users with its search. */
export class UserList {
  constructor(
    private readonly parts: Pick<Buses, 'queries'> & UserPageParts,
    private readonly reads = true,
  ) {}

  /** The list for keys that may not read users: it has no custom properties, and does not find users by them. */
  withoutProperties(): UserList {
    const names = new UserReferences(this.parts.names.ids, []);
    return new UserList({ ...this.parts, nameProperty: null, names }, false);
  }

  /**
   * The users of a query for nothing but a complete address, an id, or the value of a unique property: they are looked up
   * by their keys, which every store does without a search.
   */
  async exactMatches(query: ListQuery): Promise<readonly User[]> {
    // The form names a property also without a value.
    const { address, sort: _, size: __, property: ___, ...others } = query;
    if (Object.values(others).some((text) => text !== '')) return [];
    const { queries, names } = this.parts;
    const keys = names.keysOf(address);
    const found = await Promise.all(keys.map((key) => queries.dispatch({ type: 'InspectUser', by, key })));
    const users = found.flatMap((outcome) => (isLeft(outcome) ? [] : [outcome.right.user]));
    return users.filter((user, at) => users.findIndex((other) => isSameUser(user, other)) === at);
  }

  /** Names the only user who matches a query; undefined if there are several, or none of them `exact`. */
  async onlyUser({ address }: ListQuery, [user, ...others]: readonly User[]): Promise<UserReference | undefined> {
    if (user === undefined || others.length > 0) return undefined;
    const { queries, names } = this.parts;
    const matching = await queries.dispatch({ type: 'ListUsers', by, limit: 2, addressContains: keyPrefix(address) });
    const isOther = (other: User): boolean => !isSameUser(user, other);
    if (!isLeft(matching) && matching.right.users.some(isOther)) return undefined;
    const reference = names.referenceTo(user);
    // As it was written.
    return 'address' in reference && keyPrefix(address) === keyOf(user.email.address) ? { address } : reference;
  }

  /**
   * The page of a query, on which those who match exactly come first; `message` is about the action that led to it,
   * and `creates` says whether the key may create users.
   */
  async page(
    query: ListQuery,
    exact: readonly User[],
    message: string | undefined,
    creates: boolean,
  ): Promise<Either<ProblemCode, OperatorPage>> {
    const { queries, nameProperty, sortsUsers, activity, clock } = this.parts;
    const sort = sortsUsers && query.sort !== '' ? query.sort : undefined;
    const position = query.after === '' ? right(undefined) : positionIn(query.after, sort);
    if (isLeft(position)) return left('invalid_parameter');
    const name = query.property === '' ? (nameProperty ?? '') : query.property;
    const view = { ...this.parts, query, message, reads: this.reads, creates };
    if (query.value !== '' && name === '') return right(listPage({ ...view, found: undefined }));
    const listed = await queries.dispatch({
      type: 'ListUsers',
      by,
      limit: Number(query.size === '' ? pageSizes[0] : query.size),
      after: position.right,
      addressContains: keyPrefix(query.address),
      verified: query.verified === '' ? undefined : query.verified === 'true',
      inactive:
        query.inactiveSince === '' || activity === null
          ? undefined
          : { before: sinceAgo(query.inactiveSince, clock.now()), ...activity },
      state: query.state === '' ? undefined : query.state,
      property: query.value === '' ? undefined : { name, value: query.value },
      order: orderOf(sort),
      total: sortsUsers,
    });
    if (isLeft(listed)) return left(listed.left.code);
    const { next, total, unreadable } = listed.right;
    const others = listed.right.users.filter((user) => !exact.some((first) => isSameUser(first, user)));
    const added = exact.filter(({ email }) => !keyOf(email.address).includes(keyPrefix(query.address)));
    return right(
      listPage({
        ...view,
        found: {
          users: [...exact, ...others],
          nextCursor: next === undefined ? undefined : cursorOf(next, sort),
          total: total && { ...total, count: total.count + added.length },
          unreadable: recordsOf(unreadable),
        },
      }),
    );
  }
}
