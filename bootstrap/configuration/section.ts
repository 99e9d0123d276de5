import { map, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Block, Option, Options, Values, Written } from '../../adapters/kit/option-block.ts';

/** Decodes a block; `given` is undefined if the file has none. Adapters of other packages are searched in `folders`. */
type Decode<A> = (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
) => t.Validation<A> | Promise<t.Validation<A>>;

/** A block of the file. `W` is the type of what a configuration may hold in it. */
export interface Section<A, W> extends Option<unknown, W> {
  readonly decode: Decode<A>;
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

export const section = <A, W>(meaning: string, decode: Decode<A>): Section<A, W> => ({
  ...elsewhere<W>(meaning),
  decode,
});

/** A block with a decoder of its own. */
export const decodedBlock = <A, W>(_: Writable<W>, meaning: string, decode: Decode<A>): Section<A, W> =>
  section(meaning, decode);

/** What a configuration may hold in a block with further options, which depend on the adapter that it names. */
export type WithOptions<W> = W & { readonly [option: string]: unknown };

export const adapterBlock = <A, W>(_: Writable<W>, meaning: string, decode: Decode<A>): Section<A, WithOptions<W>> =>
  section(meaning, decode);

/** A block that the file may leave out, because all of its options have defaults. */
export const plainBlock = <O extends Options>(block: Block<O>, meaning: string): Section<Values<O>, Written<O>> =>
  section(meaning, (given, context) => block.validate(given ?? {}, context));

/** A block that switches something on; null if the file has none. */
export const optionalBlock = <O extends Options, A>(
  block: Block<O>,
  meaning: string,
  of: (values: Values<O>) => A,
): Section<A | null, Written<O>> =>
  section(meaning, (given, context) => (given === undefined ? right(null) : map(of)(block.validate(given, context))));
