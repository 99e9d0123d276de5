import { escapeCharacter, type KeyRange, keyRange, propertyTexts, type UserFilter } from 'latchkey/ports';
import { columnOf, isUser } from './tables.ts';

/** A condition, with a value for each `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

export const allOf = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.map(({ sql }) => `(${sql})`).join(' AND '),
  values: conditions.flatMap(({ values }) => values),
});

/** The keys of a range. */
export const inRange = ({ from, to, except }: KeyRange): Condition => ({
  sql: 'address_key >= ? AND address_key < ? AND address_key <> ?',
  values: [from, to, except],
});

// Not LIKE, which gives some characters a meaning.
const contains = (column: string, texts: readonly string[]): Condition =>
  allOf(texts.map((text) => ({ sql: `INSTR(${column}, ?) > 0`, values: [text] })));

const fieldCondition = (condition: UserFilter['conditions'][number]): Condition => {
  const column = columnOf({ name: condition.field });
  if (condition.test === 'exists') return { sql: `${column} IS NOT NULL`, values: [] };
  const values = [condition.value];
  if (condition.test === 'equals') return { sql: `${column} = ?`, values };
  if (condition.test === 'absentOrAfter') return { sql: `${column} IS NULL OR ${column} > ?`, values };
  const unless = condition.unless === undefined ? '' : ` OR ${columnOf({ name: condition.unless })} IS NOT NULL`;
  return { sql: `${column} IS NULL OR ${column} < ?${unless}`, values };
};

/** The conditions of a filter, other than the prefix of the address; empty if every user meets them. */
export const filterConditions = ({
  addressContains,
  conditions,
  property,
}: Omit<UserFilter, 'address'>): readonly Condition[] => {
  const found = conditions.map(fieldCondition);
  if (addressContains !== '') found.push(contains('address_key', [addressContains]));
  if (property !== undefined) {
    const [escaped, texts] = [
      contains('properties', [escapeCharacter]),
      contains('properties', propertyTexts(property)),
    ];
    found.push({ sql: `${escaped.sql} OR ${texts.sql}`, values: [...escaped.values, ...texts.values] });
  }
  return found;
};

/** The users whom a filter means, and more if it has a property. */
export const matching = (filter: UserFilter): Condition =>
  allOf([
    { sql: isUser, values: [] },
    inRange(keyRange({ address: filter.address, after: undefined })),
    ...filterConditions(filter),
  ]);
