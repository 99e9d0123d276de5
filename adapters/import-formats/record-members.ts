import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { type JsonObject, readJsonObject } from '../kit/exact-json.ts';
import { memberCodec } from '../kit/user-json/user-codecs.ts';

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

const orAbsent = <A>(is: (value: unknown) => value is A, message: string) =>
  memberCodec((value): value is A | null | undefined => isAbsent(value) || is(value), message);

// PostgreSQL writes "2024-05-31 10:20:30.5+00", which is not quite ISO 8601.
const postgresTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/;

const millisecondsOf = (value: string | number): number => {
  if (typeof value === 'number' || /^\d+$/.test(value)) return Number(value);
  const [, day, time, hours, minutes = '00'] = postgresTime.exec(value) ?? [];
  return Date.parse(day === undefined ? value : `${day}T${time}${hours}:${minutes}`);
};

/** Whether a text is a time of PostgreSQL that never comes, or that is later than JavaScript can show. */
export const isEndless = (value: unknown): boolean =>
  value === 'infinity' || (typeof value === 'string' && /^\d{6}-/.test(value) && Number.isNaN(millisecondsOf(value)));

/** A time of PostgreSQL before all years of our era. */
const beforeAll = /^-infinity$| BC$/;

const isTime = (value: unknown): value is string | number =>
  (typeof value === 'number' && Number.isSafeInteger(value)) ||
  (typeof value === 'string' &&
    (isEndless(value) || beforeAll.test(value) || Number.isSafeInteger(millisecondsOf(value))));

// Cells of comma-separated values are text: PostgreSQL writes t and f.
const flags: ReadonlySet<unknown> = new Set([true, false, 'true', 'false', 't', 'f']);

/** The codecs of members that may be absent or null. */
export const optional = {
  text: orAbsent(t.string.is, 'must be a string'),
  flag: orAbsent((value): value is boolean | string => flags.has(value), 'must be true or false'),
  /** Milliseconds since the epoch, or the text of a time with its zone, also one of PostgreSQL. */
  time: orAbsent(isTime, 'must be a time'),
  list: orAbsent((value): value is readonly unknown[] => Array.isArray(value), 'must be a list'),
  object: orAbsent(t.UnknownRecord.is, 'must be an object'),
};

/** Milliseconds since the epoch; undefined without a time, and for one before the epoch or without end. */
export const timeOf = (value: string | number | null | undefined): number | undefined => {
  const time = isAbsent(value) ? Number.NaN : millisecondsOf(value);
  return time >= 0 ? time : undefined;
};

export const isSet = (flag: boolean | string | null | undefined): boolean =>
  flag === true || flag === 'true' || flag === 't';

/** Whether a value is neither absent nor null, false or empty. */
export const hasValue = (value: unknown): boolean => {
  if (isAbsent(value) || value === '' || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
};

/** The values of flags and counters that are the same as no value, also in cells of comma-separated values. */
const withoutMeaning: ReadonlySet<unknown> = new Set([0, '0', 'f', 'false']);

/** Whether a value would be lost if its member were left out. */
export const isMeaningful = (value: unknown): boolean => hasValue(value) && !withoutMeaning.has(value);

/** The members with these names that have a value, exactly as they are written. */
export const textsOf = ({ members, values }: JsonObject, names: readonly string[]): readonly string[] =>
  members.filter(({ name }) => names.includes(name) && hasValue(values[name])).map(({ text }) => text);

/** A member with a text as its value. */
export const textMember = (name: string, value: string): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`;

/**
 * The member `name` for an object that a record holds as JSON text, without its members `except`. Returns an empty list
 * for an empty object, and `[undefined]` for a text that is not a JSON object.
 */
export const objectMember = (
  name: string,
  json: string | null | undefined,
  except: readonly string[] = [],
): readonly (string | undefined)[] => {
  if (!hasValue(json) || isAbsent(json)) return [];
  const object = readJsonObject(json);
  if (isLeft(object)) return [undefined];
  const texts = object.right.members.filter((inner) => !except.includes(inner.name)).map(({ text }) => text);
  return texts.length === 0 ? [] : [`${JSON.stringify(name)}:{${texts.join(',')}}`];
};
