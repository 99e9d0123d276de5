import { escapeLiteral } from 'pg';

// Values are literals and not parameters: only a text without parameters may have several statements, and so set the
// timeout of its transaction in the same round trip, without a session, which PgBouncer would share.

/**
 * A text as a literal. It means the same whatever `standard_conforming_strings` is. Throws a RangeError for one with NUL,
 * which would end the text of the statement.
 */
export const textLiteral = (text: string): string => {
  if (text.includes('\0')) throw new RangeError('a text with NUL');
  return escapeLiteral(text);
};

/**
 * A text that a caller searches for, or has made up as a position, as a literal. A control character that nothing stored has
 * takes the place of NUL, which no text of the database has.
 */
export const searchedLiteral = (text: string): string => textLiteral(text.replaceAll('\0', '\u0001'));

/** A row as an array of texts, as the server writes them. */
export type Row = readonly (string | null)[];

/**
 * Runs statements in one transaction and one round trip, and resolves with the rows of the last one. The deadline of the
 * call includes waiting for a connection; what the server has not executed by then, it cancels.
 */
export type Run = (...statements: readonly string[]) => Promise<readonly Row[]>;

/** The UTF-8 of a text, which may contain NUL, as a literal. */
export const bytesLiteral = (text: string): string =>
  `${textLiteral(`\\x${Buffer.from(text).toString('hex')}`)}::bytea`;

/** An array of texts or bytes, given their literals. */
export const arrayOf = (type: 'text' | 'bytea', literals: readonly string[]): string =>
  `ARRAY[${literals.join(', ')}]::${type}[]`;

/**
 * An expression that rolls the transaction back unless a condition holds, by a division by zero: no other expression of the
 * store can fail with its code.
 */
export const required = (condition: string): string => `1 / (${condition})::int`;

/**
 * Removes a few rows whose time `end` is over, once the statement has `written` something: it never waits for a row while
 * others wait for those that it removes. In the order of the index, which the server would not use without statistics
 * otherwise.
 */
export const removalOfEnded = (table: string, key: string, end: string, isEnded: string): string =>
  `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table}
     WHERE ${isEnded} AND EXISTS (SELECT FROM written) ORDER BY ${end} LIMIT 10 FOR UPDATE SKIP LOCKED)`;

/**
 * Reads a value of type bytea as the server writes it. A reload may change `bytea_output` of a connection in use: only the
 * format hex begins with `\x`, because the format escape doubles each backslash.
 */
const bytesOf = (written: string): Buffer => {
  if (written.startsWith('\\x')) return Buffer.from(written.slice(2), 'hex');
  const unescaped = written.replace(/\\(?:\\|(\d{3}))/g, (_, octal?: string) =>
    octal === undefined ? '\\' : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(unescaped, 'latin1');
};

/** The text in a column of type bytea, as the server writes it; undefined if it is not valid UTF-8. */
export const textOfBytes = (written: string): string | undefined => {
  const bytes = bytesOf(written);
  const text = bytes.toString();
  // Only invalid bytes become U+FFFD, and then the text has other bytes.
  return text.includes('\ufffd') && !Buffer.from(text).equals(bytes) ? undefined : text;
};
