import {
  escapeCharacter,
  type FieldCondition,
  propertyTexts,
  type UserFilter,
} from '../../../application/ports/user-listing.ts';
import { columnOf } from './user-table.ts';

/** A term of a WHERE clause with the values of its placeholders. */
export interface Term {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

const termOf = (condition: FieldCondition): Term => {
  const column = columnOf({ name: condition.field });
  if (condition.test === 'exists') return { sql: `${column} IS NOT NULL`, values: [] };
  const sql = condition.test === 'equals' ? `${column} = ?` : `(${column} IS NULL OR ${column} > ?)`;
  return { sql, values: [Number(condition.value)] };
};

// No pattern of LIKE or GLOB: it would give characters a meaning, and LIKE ignores the case of ASCII letters.
const contains = (column: string): string => `instr(${column}, ?) > 0`;

/** What rows have to meet besides the prefix of the key. */
export const filterTerms = ({ addressContains, conditions, property }: UserFilter): readonly Term[] => {
  const terms = conditions.map(termOf);
  // The key is read from its index, so that only matching rows are.
  if (addressContains !== '') terms.unshift({ sql: contains('key'), values: [addressContains] });
  if (property !== undefined) {
    const texts = propertyTexts(property);
    const all = texts.map(() => contains('properties')).join(' AND ');
    terms.push({ sql: `(${contains('properties')} OR ${all})`, values: [escapeCharacter, ...texts] });
  }
  return terms;
};

export const sqlOf = (terms: readonly Term[]): string => terms.map(({ sql }) => ` AND ${sql}`).join('');

export const valuesOf = (terms: readonly Term[]): (string | number)[] => terms.flatMap(({ values }) => values);
