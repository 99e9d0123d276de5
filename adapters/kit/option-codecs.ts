import { distance } from 'fastest-levenshtein';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

/**
 * Codecs for what people write in the configuration file. They say what was expected and never what was found,
 * because what was found may be a secret. A value that is absent or null takes the option's default.
 */
export type Codec<A> = t.Type<A, unknown, unknown>;

const codec = <A>(
  name: string,
  is: (value: unknown) => value is A,
  read: (value: unknown) => A | undefined,
): Codec<A> =>
  new t.Type<A, unknown, unknown>(
    name,
    is,
    (value, context) => {
      const decoded = read(value);
      return decoded === undefined ? t.failure(value, context, `expected ${name}`) : t.success(decoded);
    },
    t.identity,
  );

const isString = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** A text of at least one character. A bare number is refused: YAML may already have changed it (`1.10` reads as 1.1). */
export const text: Codec<string> = codec('text (in quotes if it looks like a number)', isString, (value) =>
  isString(value) && value !== '' ? value : undefined,
);

/** A text that may be empty. */
export const anyText: Codec<string> = codec('text', isString, (value) => (isString(value) ? value : undefined));

/** A whole number; its digits in a text are accepted too, because a secret is always text. */
export const wholeNumber = (min: number, max: number): Codec<number> =>
  codec(`a whole number from ${min} to ${max}`, isNumber, (value) => {
    const read = isString(value) && /^\d+$/.test(value) ? Number(value) : value;
    return isNumber(read) && Number.isInteger(read) && read >= min && read <= max ? read : undefined;
  });

/** A number of seconds or the like, fractions allowed; its digits in a text are accepted too. */
export const quantity = (min: number, max: number): Codec<number> =>
  codec(`a number from ${min} to ${max}`, isNumber, (value) => {
    const read = isString(value) && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    return isNumber(read) && read >= min && read <= max ? read : undefined;
  });

/** true or false, also as text. */
export const flag: Codec<boolean> = codec('true or false', isBoolean, (value) => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return isBoolean(value) ? value : undefined;
});

/** One of several words. `aliases` are read as the word that they stand for. */
export const choice = <W extends string>(words: readonly W[], aliases: Readonly<Record<string, W>> = {}): Codec<W> =>
  codec(
    `one of ${words.join(', ')}`,
    (value): value is W => words.some((word) => word === value),
    (value) =>
      words.find((word) => word === value) ??
      (isString(value) && Object.hasOwn(aliases, value) ? aliases[value] : undefined),
  );

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
// A timer of Node.js fires at once when its delay doesn't fit into 31 bits.
const longestTimer = 2 ** 31 - 1;
const longestSpan = 36_500 * 86_400_000;

const durationOf = (name: string, form: RegExp, longest: number): Codec<number> =>
  codec(name, isNumber, (value) => {
    const [, digits, unit] = isString(value) ? (form.exec(value.trim()) ?? []) : [];
    if (digits === undefined || unit === undefined) return undefined;
    const milliseconds = Number(digits) * (units[unit] ?? Number.NaN);
    return milliseconds >= 1 && milliseconds <= longest ? milliseconds : undefined;
  });

/** A duration such as 500ms, 30s, 2m or 1h, as milliseconds; at least one, and at most what a timer can wait (24 days). */
export const duration: Codec<number> = durationOf(
  'a duration such as 500ms, 30s, 2m or 1h',
  /^(\d+(?:\.\d+)?) ?(ms|s|m|h)$/,
  longestTimer,
);

/** A time that is compared and not waited for, such as 60s, 24h or 7d, as milliseconds; at most a hundred years. */
export const span: Codec<number> = durationOf(
  'a duration such as 60s, 24h or 7d',
  /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/,
  longestSpan,
);

/** A list of values, each decoded by the same codec. */
export const list = <A>(item: Codec<A>): Codec<readonly A[]> => {
  const items = t.readonlyArray(item);
  return new t.Type<readonly A[], unknown, unknown>(
    `a list of: ${item.name}`,
    items.is,
    (value, context) =>
      Array.isArray(value) ? items.validate(value, context) : t.failure(value, context, 'expected a list'),
    t.identity,
  );
};

/** An option of a block: what it accepts, what it means, and what holds when it is left out. */
export interface Option<A> {
  readonly codec: Codec<A>;
  readonly meaning: string;
  /** Undefined when the option is required. */
  readonly fallback: { readonly value: A } | undefined;
}

export const required = <A>(codec: Codec<A>, meaning: string): Option<A> => ({ codec, meaning, fallback: undefined });

export const withDefault = <A>(codec: Codec<A>, value: A, meaning: string): Option<A> => ({
  codec,
  meaning,
  fallback: { value },
});

/** An option that is null when it is left out. */
export const optional = <A>(inner: Codec<A>, meaning: string): Option<A | null> => ({
  codec: new t.Type<A | null, unknown, unknown>(
    inner.name,
    (value): value is A | null => value === null || inner.is(value),
    inner.validate,
    t.identity,
  ),
  meaning,
  fallback: { value: null },
});

/** An option whatever it decodes to: its codec as far as it reads, because no codec of numbers could write everything. */
export interface AnyOption {
  readonly codec: t.Decoder<unknown, unknown> & { readonly is: t.Is<unknown> };
  readonly meaning: string;
  readonly fallback: { readonly value: unknown } | undefined;
}

/** The options of a block, by their names. */
export type Options = Readonly<Record<string, AnyOption>>;

/** What a block decodes to: each of its options. */
export type Values<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer A> ? A : never };

/** Whether a value is a mapping of the file: neither a list nor null. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nearest = (word: string, known: readonly string[]): string | undefined =>
  known
    .map((name) => ({ name, far: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(2, name.length / 3))
    .sort((one, other) => one.far - other.far)[0]?.name;

const unknownKey = (key: string, known: readonly string[]): string => {
  const meant = nearest(key, known);
  return meant === undefined ? `unknown key; known here: ${known.join(', ')}` : `unknown key; did you mean ${meant}?`;
};

/**
 * A block of options: a mapping in the file. It reports every problem of every option, and keys that it doesn't know.
 * The options stay readable on the codec, for the documentation that is made from them.
 */
export class Block<O extends Options> extends t.Type<Values<O>, unknown, unknown> {
  /** `contradiction` says what is wrong with options that are right one by one; its path is the name of an option. */
  constructor(
    readonly options: O,
    readonly contradiction: (values: Values<O>) => Problem | undefined = () => undefined,
  ) {
    super(
      'a block of options',
      (value): value is Values<O> =>
        isMapping(value) && Object.entries(options).every(([key, option]) => option.codec.is(value[key])),
      (value, context) => decodeBlock(this, value, context),
      t.identity,
    );
  }
}

function decodeBlock<O extends Options>(block: Block<O>, value: unknown, context: t.Context): t.Validation<Values<O>> {
  if (!isMapping(value)) return t.failure(value, context, 'expected a block of options');
  const errors: t.Errors = [];
  const decoded: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(block.options)) {
    const at = t.appendContext(context, key, option.codec, value[key]);
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (given === undefined || given === null) {
      if (option.fallback === undefined)
        errors.push({ value: given, context: at, message: `is required: ${option.codec.name}` });
      else decoded[key] = option.fallback.value;
      continue;
    }
    const result = option.codec.validate(given, at);
    if (isLeft(result)) errors.push(...result.left);
    else decoded[key] = result.right;
  }
  const known = Object.keys(block.options);
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    errors.push({
      value: undefined,
      context: t.appendContext(context, key, t.unknown),
      message: unknownKey(key, known),
    });
  }
  if (errors.length > 0) return t.failures(errors);
  if (!block.is(decoded)) return t.failure(value, context, 'expected a block of options');
  const problem = block.contradiction(decoded);
  if (problem === undefined) return t.success(decoded);
  return t.failure(undefined, t.appendContext(context, problem.path, t.unknown), problem.message);
}

export const block = <O extends Options>(options: O, contradiction?: Block<O>['contradiction']): Block<O> =>
  new Block(options, contradiction);

/** A codec with a further condition, stated in the words of its message. */
export const such = <A>(inner: Codec<A>, holds: (value: A) => boolean, message: string): Codec<A> =>
  new t.Type<A, unknown, unknown>(
    inner.name,
    inner.is,
    (value, context) => {
      const result = inner.validate(value, context);
      return isLeft(result) || holds(result.right) ? result : t.failure(value, context, message);
    },
    t.identity,
  );

/** A problem in the configuration: where, and what to write there. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The problems behind a failed validation, in the order of the file's options, without any value. */
export const problemsOf = (errors: t.Errors): readonly Problem[] =>
  errors.map(({ context, message }) => ({
    path: context
      .map(({ key }) => key)
      .filter((key) => key !== '')
      .reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`), ''),
    message: message ?? 'has a wrong value',
  }));
