import { map, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Block, Option, Options, Problem, Values, Written } from '../../adapters/kit/option-block.ts';
import { validate } from './option-errors.ts';

/** Decodes a block; `given` is undefined if the file has none. Adapters of other packages are searched in `folders`. */
type Decode<A> = (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
) => t.Validation<A> | Promise<t.Validation<A>>;

/**
 * What makes a valid block impossible in a configuration whose other blocks are valid, too. The path of a problem starts
 * inside the block.
 */
type Contradictions<A, Others> = (block: A, others: Others) => readonly Problem[];

/** A decoded block, and what it contradicts in the others. */
interface DecodedBlock<A, Others> {
  readonly block: A;
  contradictions(others: Others): readonly Problem[];
}

/**
 * A block of the file. `W` is the type of what a configuration may hold in it, and `Others` has the decoded blocks that it
 * may contradict; an interface would have to be exported for the declarations of `latchkey/testing`.
 */
export interface Section<A, W, Others = never> extends Option<unknown, W> {
  readonly decode: (...input: Parameters<Decode<A>>) => Promise<t.Validation<DecodedBlock<A, Others>>>;
  /** Those that the documentation shows; undefined where it shows blocks inside of this one only. */
  readonly options?: Options | undefined;
}

/** A block, by what a configuration may hold in it. */
interface Writable<W> {
  readonly _W?: W;
  readonly options: Options;
}

/** An option whose meaning is documented here, and which is decoded elsewhere. */
export const elsewhere = <W>(meaning: string): Option<unknown, W> => ({
  codec: t.unknown,
  meaning,
  fallback: { value: null },
});

export const section = <A, W, Others = object>(
  meaning: string,
  decode: Decode<A>,
  contradictions: Contradictions<A, Others> = () => [],
  options?: Options,
): Section<A, W, Others> => ({
  ...elsewhere<W>(meaning),
  options,
  decode: async (given, context, folders) =>
    map((block: A) => ({ block, contradictions: (others: Others) => contradictions(block, others) }))(
      await decode(given, context, folders),
    ),
});

/** A block with a decoder of its own. */
export const decodedBlock = <A, W, Others = object>(
  { options }: Writable<W>,
  meaning: string,
  decode: Decode<A>,
  contradictions: Contradictions<A, Others>,
): Section<A, W, Others> => section(meaning, decode, contradictions, options);

/** What a configuration may hold in a block with further options, which depend on the adapter that it names. */
export type WithOptions<W> = W & { readonly [option: string]: unknown };

export const adapterBlock = <A, W, Others = object>(
  { options }: Writable<W>,
  meaning: string,
  decode: Decode<A>,
  contradictions?: Contradictions<A, Others>,
): Section<A, WithOptions<W>, Others> => section(meaning, decode, contradictions, options);

/** A block that the file may leave out, because all of its options have defaults. */
export const plainBlock = <O extends Options, Others = object>(
  block: Block<O>,
  meaning: string,
  contradictions?: Contradictions<Values<O>, Others>,
): Section<Values<O>, Written<O>, Others> =>
  section(meaning, (given, context) => validate(block, given ?? {}, context), contradictions, block.options);

/** A block that switches something on; absent if the file has none. */
export const optionalBlock = <O extends Options, A, Others = object>(
  block: Block<O>,
  meaning: string,
  of: (values: Values<O>) => A,
  contradictions: Contradictions<A, Others> = () => [],
): Section<A | undefined, Written<O>, Others> =>
  section(
    meaning,
    (given, context) => (given === undefined ? right(undefined) : map(of)(validate(block, given, context))),
    (decoded: A | undefined, others: Others) => (decoded === undefined ? [] : contradictions(decoded, others)),
    block.options,
  );
