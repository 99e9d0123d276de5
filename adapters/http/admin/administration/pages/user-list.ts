import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { administrator as by } from '../../../../../application/administration/administrator.ts';
import { keyOf, keyPrefix } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import type { ProblemCode } from '../../../api/problems.ts';
import type { OperatorPage } from '../../../pages/operator-pages.ts';
import type { AdministrationFeatures } from '../administered-user.ts';
import { recordsOf } from '../administration-parameters.ts';
import { cursorOf, orderOf, positionIn } from '../list-cursors.ts';
import type { Buses } from '../user-action.ts';
import { listPage } from './list-pages.ts';
import { type ListQuery, pageSizes } from './list-query.ts';
import { keyOfAddress } from './page-inputs.ts';

/** The list of users with its search. */
export class UserList {
  constructor(
    private readonly parts: Pick<Buses, 'queries'> & Pick<AdministrationFeatures, 'nameProperty' | 'sortsUsers'>,
  ) {}

  /**
   * The address of a query for nothing but a complete address that a user has: it is looked up by its key, which every
   * store does without a search. Undefined if another user is found who matches as well.
   */
  async onlyUser(query: ListQuery): Promise<string | undefined> {
    const { address, sort: _, size: __, ...others } = query;
    const key = Object.values(others).every((text) => text === '') ? keyOfAddress(address) : undefined;
    if (key === undefined) return undefined;
    const { queries } = this.parts;
    if (isLeft(await queries.dispatch({ type: 'InspectUser', by, key }))) return undefined;
    const matching = await queries.dispatch({
      type: 'ListUsers',
      by,
      limit: 2,
      after: undefined,
      address: '',
      addressContains: key,
      verified: undefined,
      state: undefined,
    });
    const isOther = ({ email }: User): boolean => keyOf(email.address) !== key;
    return !isLeft(matching) && matching.right.users.some(isOther) ? undefined : address;
  }

  /** The page of a query; `message` is about the action that led to it. */
  async page(query: ListQuery, message: string | undefined): Promise<Either<ProblemCode, OperatorPage>> {
    const { queries, nameProperty, sortsUsers } = this.parts;
    const sort = sortsUsers && query.sort !== '' ? query.sort : undefined;
    const position = query.after === '' ? right(undefined) : positionIn(query.after, sort);
    if (isLeft(position)) return left('invalid_parameter');
    const name = query.property === '' ? (nameProperty ?? '') : query.property;
    const view = { query, message, nameProperty, sortsUsers };
    if (query.value !== '' && name === '') return right(listPage({ ...view, found: undefined }));
    const listed = await queries.dispatch({
      type: 'ListUsers',
      by,
      limit: Number(query.size === '' ? pageSizes[0] : query.size),
      after: position.right,
      address: '',
      addressContains: keyPrefix(query.address),
      verified: query.verified === '' ? undefined : query.verified === 'true',
      state: query.state === '' ? undefined : query.state,
      property: query.value === '' ? undefined : { name, value: query.value },
      order: orderOf(sort),
      total: sortsUsers,
    });
    if (isLeft(listed)) return left(listed.left.code);
    const { users, next, total, unreadable } = listed.right;
    const nextCursor = next === undefined ? undefined : cursorOf(next, sort);
    return right(listPage({ ...view, found: { users, nextCursor, total, unreadable: recordsOf(unreadable) } }));
  }
}
