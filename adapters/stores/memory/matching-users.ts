import { type FieldCondition, hasProperty, type UserFilter } from '../../../application/ports/user-listing.ts';
import type { OrderedPosition, UserOrder } from '../../../application/ports/user-search.ts';
import type { User } from '../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../domain/user-fields.ts';

const meets = (user: User, condition: FieldCondition): boolean => {
  const storedIn = (name: UserField['name']) => {
    const field = userFields.find((one) => one.name === name);
    return field && fieldOf(user, field);
  };
  const value = storedIn(condition.field);
  if (condition.test === 'equals') return value === condition.value;
  if (condition.test === 'exists') return value !== undefined && value !== null;
  if (typeof value !== 'number') return true;
  if (condition.test === 'absentOrAfter') return value > condition.value;
  return value < condition.value || (condition.unless !== undefined && typeof storedIn(condition.unless) === 'number');
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
