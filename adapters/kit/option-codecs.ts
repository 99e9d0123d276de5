import { X509Certificate } from 'node:crypto';
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Decoded, Decoder, Refusal } from '../../domain/codec.ts';
import { readSmallFile } from './small-file.ts';

export type { Decoded, Refusal } from '../../domain/codec.ts';

/**
 * The codec of an option: a Decoder, of any library or none. Its messages say what was expected and never what was found,
 * which may be a secret. `Written` is the type of what the configuration holds, such as '30s' for 30000; it exists for the
 * compiler only.
 */
export interface Codec<A, Written = A> extends Decoder<A> {
  readonly _W?: Written;
}

/** What a configuration holds for a codec. */
export type WrittenOf<C> = C extends Codec<infer _, infer Written> ? Written : unknown;

/** A codec named after what it expects; `read` returns undefined for anything else. */
export const codec = <A, Written = A>(
  name: string,
  is: (value: unknown) => value is A,
  read: (value: unknown) => A | undefined,
): Codec<A, Written> => ({
  name,
  is,
  decode: (value) => {
    const decoded = read(value);
    return decoded === undefined ? refused(`expected ${name}`) : right(decoded);
  },
});

/** Refuses a value as a whole. */
export const refused = (message: string): Decoded<never> => left([{ message }]);

/** The refusals of the value at a key, for the codec of the mapping or list around it. */
export const refusedAt = (key: string, codec: Decoder<unknown>, refusals: readonly Refusal[]): readonly Refusal[] =>
  // The context of io-ts starts with the whole value, without a key.
  refusals.map(({ message, context = [] }) => ({
    message,
    context: [{ key, type: codec }, ...context.filter((inner) => inner.key !== '')],
  }));

export const isString = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** Text of at least one character. Refuses bare numbers, which YAML may have changed (`1.10` reads as 1.1). */
export const text: Codec<string> = codec('text (in quotes if it looks like a number)', isString, (value) =>
  isString(value) && value !== '' ? value : undefined,
);

/** Text that may be empty. */
export const anyText: Codec<string> = codec('text', isString, (value) => (isString(value) ? value : undefined));

/** A whole number. Accepts digits in text too, because secrets are always text. */
export const wholeNumber = (min: number, max: number): Codec<number, number | `${number}`> =>
  codec(`a whole number from ${min} to ${max}`, isNumber, (value) => {
    const read = isString(value) && /^\d+$/.test(value) ? Number(value) : value;
    return isNumber(read) && Number.isInteger(read) && read >= min && read <= max ? read : undefined;
  });

/** A TCP port; 0 stands for any free port. */
export const port = wholeNumber(0, 65_535);

/** A number that may have decimals. Accepts digits in text too. */
export const quantity = (min: number, max: number): Codec<number, number | `${number}`> =>
  codec(`a number from ${min} to ${max}`, isNumber, (value) => {
    const read = isString(value) && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    return isNumber(read) && read >= min && read <= max ? read : undefined;
  });

/** true or false, also as text. */
export const flag: Codec<boolean, boolean | `${boolean}`> = codec('true or false', isBoolean, (value) => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return isBoolean(value) ? value : undefined;
});

/** One of several words. An alias decodes to the word that it stands for. */
export const choice = <W extends string, Alias extends string = never>(
  words: readonly W[],
  aliases?: Readonly<Record<Alias, W>>,
): Codec<W, W | Alias> => {
  const accepted = new Map<unknown, W>([
    ...Object.entries<W>(aliases ?? {}),
    ...words.map((word) => [word, word] as const),
  ]);
  return codec(
    `one of ${words.join(', ')}`,
    (value): value is W => words.some((word) => word === value),
    (value) => accepted.get(value),
  );
};

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  y: 31_557_600_000,
};
/** The words that Dropwizard files use for the units. */
const unitNames = new Map(
  Object.entries({ millisecond: 'ms', second: 's', min: 'm', minute: 'm', hour: 'h', day: 'd', year: 'y' }),
);
const durationPattern = /^(\d+(?:\.\d+)?) ?([a-z]+)$/;

const unitOf = (word: string): string => unitNames.get(word.replace(/s$/, '')) ?? word;
// A timer of Node.js fires at once when its delay does not fit into 31 bits.
const maxTimerMs = 2 ** 31 - 1;
const maxDurationMs = 36_500 * 86_400_000;

const durationCodec = <Written extends string>(
  name: string,
  units: readonly string[],
  maxMs: number,
): Codec<number, Written> =>
  codec(name, isNumber, (value) => {
    const [, digits, word] = isString(value) ? (durationPattern.exec(value.trim()) ?? []) : [];
    if (digits === undefined || word === undefined) return undefined;
    const unit = unitOf(word);
    const milliseconds = units.includes(unit) ? Number(digits) * (unitMs[unit] ?? Number.NaN) : Number.NaN;
    return milliseconds >= 1 && milliseconds <= maxMs ? milliseconds : undefined;
  });

/** A duration such as 500ms, 30s, 2m or 1h, in milliseconds; at least 1 ms and at most what a timer can wait (24 days). */
export const duration = durationCodec<`${number}${'ms' | 's' | 'm' | 'h'}`>(
  'a duration such as 500ms, 30s, 2m or 1h',
  ['ms', 's', 'm', 'h'],
  maxTimerMs,
);

/** A duration that no timer waits for, such as 60s, 24h or 7d, in milliseconds; at most 100 years. */
export const longDuration = durationCodec<`${number}${'ms' | 's' | 'm' | 'h' | 'd'}`>(
  'a duration such as 60s, 24h or 7d',
  ['ms', 's', 'm', 'h', 'd'],
  maxDurationMs,
);

/** The duration of an inactivity, such as 36h, 90d or 2y, in milliseconds; a year has 365.25 days. */
export const age = durationCodec<`${number}${'m' | 'h' | 'd' | 'y'}`>(
  'a duration such as 36h, 90d or 2y',
  ['s', 'm', 'h', 'd', 'y'],
  maxDurationMs,
);

/** A list whose items are decoded by one codec. */
export const list = <A, Written>(item: Codec<A, Written>): Codec<readonly A[], readonly Written[]> => ({
  name: `a list of: ${item.name}`,
  is: (value): value is readonly A[] => Array.isArray(value) && value.every((one) => item.is(one)),
  decode: (value) => {
    if (!Array.isArray(value)) return refused('expected a list');
    const decoded = value.map((one) => item.decode(one));
    const refusals = decoded.flatMap((one, index) => (isLeft(one) ? refusedAt(String(index), item, one.left) : []));
    return refusals.length > 0 ? left(refusals) : right(decoded.flatMap((one) => (isLeft(one) ? [] : [one.right])));
  },
});

/** A codec with a further condition. `message` says what to write when the condition does not hold. */
export const refine = <A, Written>(
  inner: Codec<A, Written>,
  holds: (value: A) => boolean,
  message: string,
): Codec<A, Written> => ({
  name: inner.name,
  is: (value): value is A => inner.is(value),
  decode: (value) => {
    const result = inner.decode(value);
    return isLeft(result) || holds(result.right) ? result : refused(message);
  },
});

const certificates = 'the path of a file with certificates in PEM format';
const notCertificates = `expected ${certificates}, and the file cannot be read as such`;

/** Decodes content that starts with a valid certificate. */
const certificatesIn = (content: string): Decoded<string> => {
  try {
    new X509Certificate(content);
    return right(content);
  } catch {
    return refused(notCertificates);
  }
};

/** The path of a file with certificates; decodes to the content of the file. */
export const certificateFile: Codec<string> = {
  name: certificates,
  is: isString,
  decode: (value) => {
    if (!isString(value)) return refused(notCertificates);
    const bytes = readSmallFile(value);
    return isLeft(bytes) ? refused(bytes.left) : certificatesIn(bytes.right.toString());
  },
};
