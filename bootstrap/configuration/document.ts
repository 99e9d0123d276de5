import { isMapping } from '../../adapters/kit/option-block.ts';

/** A mapping of the parsed file. */
export type Mapping = Readonly<Record<string, unknown>>;

export { isMapping };

/** The value under a key; undefined when there is none, and when it is null, which means the same in the file. */
export const member = (value: unknown, key: string): unknown =>
  isMapping(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;

/** A mapping with some of its keys only. A value that is no mapping stays, so that its codec can refuse it. */
export const picked = (value: unknown, keys: readonly string[]): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key))) : value;

/** A mapping without some of its keys. A value that is no mapping stays, so that its codec can refuse it. */
export const without = (value: unknown, keys: readonly string[]): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) : value;
