import { distance } from 'fastest-levenshtein';
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import { type Codec, type Decoded, type Refusal, refused, refusedAt } from './option-codecs.ts';

/** An option of a block: its codec, its meaning for the documentation, and its default. */
export interface Option<A, Written = A> {
  readonly codec: Codec<A, Written>;
  readonly meaning: string;
  /** The default, for an option that is absent or null. Undefined when the option is required. */
  readonly fallback: Default<A> | undefined;
}

/** A default as it is decoded, and as the documentation shows it if a configuration writes it differently. */
interface Default<A> {
  readonly value: A;
  readonly written?: unknown;
}

export interface RequiredOption<A, Written = A> extends Option<A, Written> {
  readonly fallback: undefined;
}

/** An option that the configuration must contain. */
export const required = <A, Written>(codec: Codec<A, Written>, meaning: string): RequiredOption<A, Written> => ({
  codec,
  meaning,
  fallback: undefined,
});

/** An option with a default, which other modules can read. */
export interface DefaultedOption<A, Written = A> extends Option<A, Written> {
  readonly fallback: Default<A>;
}

/**
 * An option that means `byDefault` when it is left out: a value as a configuration writes it, such as '1h', or the decoded
 * one. Throws a TypeError for a default that the codec refuses.
 */
export const withDefault = <A, Written>(
  codec: Codec<A, Written>,
  byDefault: A | Written,
  meaning: string,
): DefaultedOption<A, Written> => {
  if (codec.is(byDefault)) return { codec, meaning, fallback: { value: byDefault } };
  const decoded = codec.decode(byDefault);
  if (isLeft(decoded)) throw new TypeError(`the default is not ${codec.name}`);
  return { codec, meaning, fallback: { value: decoded.right, written: byDefault } };
};

/** An option that decodes to null when it is left out. */
export const optional = <A, Written>(inner: Codec<A, Written>, meaning: string): Option<A | null, Written> => ({
  codec: {
    name: inner.name,
    is: (value): value is A | null => value === null || inner.is(value),
    decode: (value) => inner.decode(value),
  },
  meaning,
  fallback: { value: null },
});

/** An option of any type. */
export type AnyOption = Option<unknown>;

/** The options of a block, by name. */
export type Options = Readonly<Record<string, AnyOption>>;

/** What a block decodes to. */
export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends Option<infer A, unknown> ? A : never;
};

type RequiredKey<O extends Options> = {
  [K in keyof O]: O[K] extends { readonly fallback: undefined } ? K : never;
}[keyof O];

type WrittenAs<O> = O extends Option<infer _, infer Written> ? Written : unknown;

type Flatten<T> = { readonly [K in keyof T]: T[K] };

/** What a configuration may hold in a block: its required options, and the others unless they are left out or null. */
export type Written<O extends Options> = Flatten<
  { [K in RequiredKey<O>]: WrittenAs<O[K]> } & { [K in Exclude<keyof O, RequiredKey<O>>]?: WrittenAs<O[K]> | null }
>;

/** A problem of the configuration: the path of the option, and what to write there. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Whether a value is a mapping of the file, and neither a list nor null. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The known name that a mistyped word most likely means; undefined if none is near. */
export const nearestName = (word: string, known: readonly string[]): string | undefined =>
  known
    .map((name) => ({ name, far: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(2, name.length / 3))
    .sort((one, other) => one.far - other.far)[0]?.name;

const unknownKey = (key: string, known: readonly string[]): string => {
  const meant = nearestName(key, known);
  return meant === undefined ? `unknown key; known here: ${known.join(', ')}` : `unknown key; did you mean ${meant}?`;
};

/**
 * A block of options: a mapping in the file. It reports every problem of every option and every unknown key.
 * The options stay readable, for the documentation and for the types of `latchkey/testing`.
 */
export class Block<O extends Options> implements Codec<Values<O>, Written<O>> {
  declare readonly _W?: Written<O>;
  readonly name = 'a block of options';

  /** `contradictions` checks options that are valid one by one; the path of a problem is the name of an option. */
  constructor(
    readonly options: O,
    readonly contradictions: (values: Values<O>) => readonly Problem[] = () => [],
  ) {}

  readonly is = (value: unknown): value is Values<O> =>
    isMapping(value) && Object.entries(this.options).every(([key, { codec }]) => codec.is(value[key]));

  readonly decode = (value: unknown): Decoded<Values<O>> => decodeBlock(this, value);
}

const decodeBlock = <O extends Options>(block: Block<O>, value: unknown): Decoded<Values<O>> => {
  if (!isMapping(value)) return refused('expected a block of options');
  const refusals: Refusal[] = [];
  const report = (key: string, message: string) => refusals.push({ message, context: [{ key }] });
  const decoded: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(block.options)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (given === undefined || given === null) {
      if (option.fallback === undefined) report(key, `is required: ${option.codec.name}`);
      else decoded[key] = option.fallback.value;
      continue;
    }
    const result = option.codec.decode(given);
    if (isLeft(result)) refusals.push(...refusedAt(key, option.codec, result.left));
    else decoded[key] = result.right;
  }
  const known = Object.keys(block.options);
  for (const key of Object.keys(value)) if (!known.includes(key)) report(key, unknownKey(key, known));
  if (refusals.length > 0) return left(refusals);
  if (!block.is(decoded)) return refused('expected a block of options');
  for (const { path, message } of block.contradictions(decoded)) report(path, message);
  return refusals.length > 0 ? left(refusals) : right(decoded);
};

/** Defines a block of options. */
export const block = <O extends Options>(options: O, contradictions?: Block<O>['contradictions']): Block<O> =>
  new Block(options, contradictions);

/** The path of a key, or of an item of a list, in the value at a path. */
export const pathBelow = (path: string, key: string): string =>
  /^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;

/** The problems behind refusals, in the order of the options, without any value. */
export const problemsOf = (refusals: readonly Refusal[]): readonly Problem[] =>
  refusals.map(({ context = [], message }) => ({
    path: context
      .map(({ key }) => key)
      .filter((key) => key !== '')
      .reduce(pathBelow, ''),
    message: message ?? 'has a wrong value',
  }));

/** The value of a key. Undefined when the key is absent or null, which mean the same in the file. */
export const member = (value: unknown, key: string): unknown =>
  isMapping(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;
