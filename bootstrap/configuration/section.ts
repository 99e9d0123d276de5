import { map, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Block, Option, Options, Problem, Values, Written } from '../../adapters/kit/option-block.ts';

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
type Contradictions<Blocks> = (configuration: Blocks) => readonly Problem[];

/**
 * A block of the file. `W` is the type of what a configuration may hold in it, and `Blocks` has the decoded blocks that it
 * may contradict, itself among them; an interface would have to be exported for the declarations of `latchkey/testing`.
 */
export interface Section<A, W, Blocks = never> extends Option<unknown, W> {
  readonly decode: Decode<A>;
  readonly contradictions: Contradictions<Blocks>;
}

/** Says what a configuration may hold. */
interface Writable<W> {
  readonly _W?: W;
}

/** An option whose meaning is documented here, and which is decoded elsewhere. */
export const elsewhere = <W>(meaning: string): Option<unknown, W> => ({
  codec: t.unknown,
  meaning,
  fallback: { value: null },
});

export const section = <A, W, Blocks = object>(
  meaning: string,
  decode: Decode<A>,
  contradictions: Contradictions<Blocks> = () => [],
): Section<A, W, Blocks> => ({ ...elsewhere<W>(meaning), decode, contradictions });

/** A block with a decoder of its own. */
export const decodedBlock = <A, W, Blocks = object>(
  _: Writable<W>,
  meaning: string,
  decode: Decode<A>,
  contradictions?: Contradictions<Blocks>,
): Section<A, W, Blocks> => section(meaning, decode, contradictions);

/** What a configuration may hold in a block with further options, which depend on the adapter that it names. */
export type WithOptions<W> = W & { readonly [option: string]: unknown };

export const adapterBlock = <A, W, Blocks = object>(
  _: Writable<W>,
  meaning: string,
  decode: Decode<A>,
  contradictions?: Contradictions<Blocks>,
): Section<A, WithOptions<W>, Blocks> => section(meaning, decode, contradictions);

/** A block that the file may leave out, because all of its options have defaults. */
export const plainBlock = <O extends Options, Blocks = object>(
  block: Block<O>,
  meaning: string,
  contradictions?: Contradictions<Blocks>,
): Section<Values<O>, Written<O>, Blocks> =>
  section(meaning, (given, context) => block.validate(given ?? {}, context), contradictions);

/** A block that switches something on; null if the file has none. */
export const optionalBlock = <O extends Options, A, Blocks = object>(
  block: Block<O>,
  meaning: string,
  of: (values: Values<O>) => A,
  contradictions?: Contradictions<Blocks>,
): Section<A | null, Written<O>, Blocks> =>
  section(
    meaning,
    (given, context) => (given === undefined ? right(null) : map(of)(block.validate(given, context))),
    contradictions,
  );
