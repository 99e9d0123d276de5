import type Database from 'better-sqlite3';
import {
  escapeCharacter,
  type FieldCondition,
  hasProperty,
  maxExaminedUsers,
  type PropertyValue,
  propertyTexts,
  type UserFilter,
} from '../../../application/ports/user-listing.ts';
import { asProperties } from '../../kit/user-json/user-writer.ts';
import { columnOf } from './sqlite-user-table.ts';

/** How many bytes of custom properties one statement searches, at least those of one row: it takes 1 to 10 ms. */
const maxSearchedBytes = 524_288;

/**
 * Where a statement ends that searches custom properties: the position of its last row; undefined if the rows end before.
 * It takes the positions and sizes of rows, which SQLite reads without the properties.
 */
export const endOfSearch = <Position>(rows: Iterable<readonly [Position, bytes: number]>): Position | undefined => {
  let [searched, bytes] = [0, 0];
  for (const [position, size] of rows) {
    bytes += size;
    if (++searched === maxExaminedUsers || bytes > maxSearchedBytes) return position;
  }
  return undefined;
};

/** A term of a WHERE clause with the values of its placeholders. */
export interface Term {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

export const sqlOf = (terms: readonly Term[]): string => terms.map(({ sql }) => ` AND ${sql}`).join('');

export const valuesOf = (terms: readonly Term[]): (string | number)[] => terms.flatMap(({ values }) => values);

const termOf = (condition: FieldCondition): Term => {
  const column = columnOf({ name: condition.field });
  if (condition.test === 'exists') return { sql: `${column} IS NOT NULL`, values: [] };
  const values = [Number(condition.value)];
  if (condition.test === 'equals') return { sql: `${column} = ?`, values };
  if (condition.test === 'absentOrAfter') return { sql: `(${column} IS NULL OR ${column} > ?)`, values };
  const unless = condition.unless === undefined ? '' : ` OR ${columnOf({ name: condition.unless })} IS NOT NULL`;
  return { sql: `(${column} IS NULL OR ${column} < ?${unless})`, values };
};

// No pattern of LIKE or GLOB: it would give characters a meaning, and LIKE ignores the case of ASCII letters.
const contains = (column: string): string => `instr(${column}, ?) > 0`;

const hasPropertyFunction = 'has_property';

/** A damaged record meets every condition, so that it is reported where it could be meant. */
const meets = (properties: unknown, name: unknown, value: unknown): number => {
  try {
    const user = { properties: asProperties(String(properties)) };
    return Number(hasProperty(user, { name: String(name), value: String(value) }));
  } catch {
    return 1;
  }
};

const prepared = new WeakSet<Database.Database>();

/** Prepares a database for the terms of a filter: adds the function that some of them call, unless it has it. */
export const prepareFor = ({ property }: UserFilter, database: Database.Database): void => {
  if (property === undefined || prepared.has(database)) return;
  prepared.add(database);
  database.function(hasPropertyFunction, { deterministic: true, directOnly: true }, meets);
};

/** Only what can match is parsed, which is exact then: a page of users who do not match would be read for nothing. */
const propertyTerm = (property: PropertyValue): Term => {
  const texts = propertyTexts(property);
  const mayMatch = `${contains('properties')} OR ${texts.map(() => contains('properties')).join(' AND ')}`;
  return {
    sql: `CASE WHEN ${mayMatch} THEN ${hasPropertyFunction}(properties, ?, ?) END`,
    values: [escapeCharacter, ...texts, property.name, property.value],
  };
};

/** What rows have to meet besides the prefix of the key. */
export const filterTerms = ({ addressContains, conditions, property }: UserFilter): readonly Term[] => {
  const terms = conditions.map(termOf);
  // The key is read from its index, so that only matching rows are.
  if (addressContains !== '') terms.unshift({ sql: contains('key'), values: [addressContains] });
  if (property !== undefined) terms.push(propertyTerm(property));
  return terms;
};
