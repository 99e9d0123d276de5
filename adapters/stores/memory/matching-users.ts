import { type FieldCondition, hasProperty, type UserFilter } from '../../../application/ports/user-listing.ts';
import type { OrderedPosition, UserOrder } from '../../../application/ports/user-search.ts';
import type { User } from '../../../domain/user.ts';
import { fieldOf, userFields } from '../../../domain/user-fields.ts';

const meets = (user: User, condition: FieldCondition): boolean => {
  const field = userFields.find(({ name }) => name === condition.field);
  const value = field && fieldOf(user, field);
  if (condition.test === 'equals') return value === condition.value;
  if (condition.test === 'exists') return value !== undefined && value !== null;
  return typeof value !== 'number' || value > condition.value;
};

/** Whether the user of a key matches. */
export const matches = (key: string, user: User, filter: UserFilter): boolean =>
  key.startsWith(filter.address) &&
  key.includes(filter.addressContains) &&
  filter.conditions.every((condition) => meets(user, condition)) &&
  (filter.property === undefined || hasProperty(user, filter.property));

export const positionIn = ({ by }: UserOrder, key: string, user: User): OrderedPosition => ({ time: user[by], key });

/** Compares positions in an order. */
export const comparison = ({ isDescending }: UserOrder) => {
  const sign = isDescending ? -1 : 1;
  return (one: OrderedPosition, other: OrderedPosition): number =>
    sign * (one.time - other.time || (one.key < other.key ? -1 : Number(one.key > other.key)));
};
