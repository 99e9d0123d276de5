import {
  escapeCharacter,
  type FieldCondition,
  type PropertyValue,
  propertyTexts,
  typeOfValue,
  type UserFilter,
} from '../../../application/ports/user-listing.ts';
import { columnOf } from './user-table.ts';

/** How many rows one statement searches for a custom property: users have up to 350 KiB of them. */
export const maxSearchedRows = 100;

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
  const sql = condition.test === 'equals' ? `${column} = ?` : `(${column} IS NULL OR ${column} > ?)`;
  return { sql, values: [Number(condition.value)] };
};

// No pattern of LIKE or GLOB: it would give characters a meaning, and LIKE ignores the case of ASCII letters.
const contains = (column: string): string => `instr(${column}, ?) > 0`;

/** What a member of `json_each` has to meet that is a number or boolean. */
const memberTerm = ({ name, value }: PropertyValue, type: 'number' | 'boolean'): Term => {
  if (type === 'boolean') return { sql: 'member.key = ? AND type = ?', values: [name, value] };
  const number = Number(value);
  // SQLite and JavaScript may round the last digit of a decimal differently.
  const tolerance = Math.abs(number) * 1e-14 + 1e-300;
  return {
    sql: "member.key = ? AND type IN ('integer', 'real') AND atom BETWEEN ? AND ?",
    values: [name, number - tolerance, number + tolerance],
  };
};

/** A text, number or boolean: the name alone would be that of too many rows. */
const valueTerm = (property: PropertyValue, type: 'number' | 'boolean'): Term => {
  const member = memberTerm(property, type);
  const members = `EXISTS (SELECT 1 FROM json_each(properties) AS member WHERE ${member.sql})`;
  return {
    // Without the check, a damaged record would fail the statement.
    sql: `(${contains('properties')} OR CASE WHEN json_valid(properties) THEN ${members} END)`,
    values: [JSON.stringify(property.value), ...member.values],
  };
};

const propertyTerm = (property: PropertyValue): Term => {
  const terms = propertyTexts(property).map((text): Term => ({ sql: contains('properties'), values: [text] }));
  const type = typeOfValue(property);
  if (type !== undefined) terms.push(valueTerm(property, type));
  return {
    sql: `(${contains('properties')} OR ${terms.map(({ sql }) => sql).join(' AND ')})`,
    values: [escapeCharacter, ...valuesOf(terms)],
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
