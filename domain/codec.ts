import * as t from 'io-ts';

/** Why a codec refuses a value. Neither part may repeat the value, which may be a secret. */
export interface Refusal {
  /** What to write instead; by default the name of the codec. */
  readonly message?: string | undefined;
  /** The place in the value, from the outside in: keys, and indexes of lists. Absent or empty for the whole value. */
  readonly context?: readonly { readonly key: string; readonly type?: { readonly name: string } }[];
}

/** What a codec makes of a value, either refusals or a value. */
export type Decoded<A> =
  | { readonly _tag: 'Left'; readonly left: readonly Refusal[] }
  | { readonly _tag: 'Right'; readonly right: A };

/** Decodes unknown values. A codec of any library, or of none, fits that has this shape. */
export interface Decoder<A> {
  /** The values that it accepts, as in "expected NAME". */
  readonly name: string;
  /** Whether a value is a decoded one. */
  readonly is: (value: unknown) => value is A;
  readonly decode: (value: unknown) => Decoded<A>;
}

/**
 * A codec of the values that a guard accepts, unchanged. `message` is what others get instead of the name.
 * @internal
 */
export const guarded = <A>(name: string, is: (value: unknown) => value is A, message?: string): t.Type<A, A, unknown> =>
  new t.Type<A, A, unknown>(
    name,
    is,
    (value, context) => (is(value) ? t.success(value) : t.failure(value, context, message)),
    t.identity,
  );
