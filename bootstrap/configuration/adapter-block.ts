import { isLeft, left, map } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import {
  type Block,
  block,
  type Option,
  type Options,
  type Values,
  type Written,
} from '../../adapters/kit/option-block.ts';
import type { Codec } from '../../adapters/kit/option-codecs.ts';
import type { AdapterFactory, OpenAdapter, Registry } from '../registry.ts';
import { isMapping, picked, without } from './document.ts';

/** What a block decodes to that belongs in part to the service and in part to the adapter that it names. */
export type WithAdapter<O extends Options, Port> = Values<O> & { readonly open: OpenAdapter<Port> };

/** The word by which a block chooses; undefined when it is missing or wrong, which the block's codec reports. */
export const chosen = <W>(option: Option<W>, given: unknown): W | undefined => {
  if (given === undefined || given === null) return option.fallback?.value;
  const decoded = option.codec.decode(given);
  return isLeft(decoded) ? undefined : decoded.right;
};

/** Loads the adapter that a word names; undefined when there is none. */
export const load = async <Port>(
  registry: Registry<Port>,
  word: string | undefined,
): Promise<AdapterFactory<Port> | undefined> => (word === undefined ? undefined : registry[word]?.());

const anything: Codec<unknown> = t.unknown;

/** The errors of the whole block, with keys that neither the service nor the adapter knows. */
const errorsOf = <Port>(
  service: Options,
  offer: AdapterFactory<Port>,
  given: unknown,
  context: t.Context,
): t.Errors => {
  const own = Object.keys(service);
  const rest = without(given, own);
  // An adapter that doesn't show its options judges its keys alone; the service lets all of them pass.
  const others: Options =
    offer.options ??
    Object.fromEntries(
      Object.keys(isMapping(rest) ? rest : {}).map((key) => [
        key,
        { codec: anything, meaning: '', fallback: { value: null } },
      ]),
    );
  const result = block({ ...service, ...others }).validate(given, context);
  const errors = isLeft(result) ? result.left : [];
  if (offer.options !== undefined) return errors;
  const prepared = offer.prepare(rest, context);
  return isLeft(prepared) ? [...errors, ...prepared.left] : errors;
};

/**
 * Decodes a block whose keys belong to the service or to the adapter that the block names.
 * Without an offer only the service's keys are judged: the rest can't be until the block names an adapter.
 */
export const decodeAdapterBlock = <O extends Options, Port>(
  service: Block<O>,
  offer: AdapterFactory<Port> | undefined,
  given: unknown,
  context: t.Context,
): t.Validation<WithAdapter<O, Port>> => {
  const own = Object.keys(service.options);
  const values = service.validate(picked(given, own), context);
  if (offer === undefined) return isLeft(values) ? values : t.failure(given, context, 'names no adapter');
  const errors = errorsOf(service.options, offer, given, context);
  if (errors.length > 0) return left(errors);
  if (isLeft(values)) return values;
  return map((open: OpenAdapter<Port>) => ({ ...values.right, open }))(offer.prepare(without(given, own), context));
};

/** An option whose block is made of its options' defaults when it is left out. */
export const blockWithDefaults = <O extends Options>(
  codec: Block<O>,
  meaning: string,
): Option<Values<O>, Written<O>> => {
  const defaults = codec.decode({});
  if (isLeft(defaults)) throw new TypeError('a block with a required option has no default');
  return { codec, meaning, fallback: { value: defaults.right } };
};
