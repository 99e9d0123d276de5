import { type Either, map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { AdapterContext, AdapterDefinition } from '../adapters/kit/definition.ts';
import { Block, type Options } from '../adapters/kit/option-codecs.ts';

/** Opens an adapter whose options are decoded already. Rejects only for a configuration that can never work. */
export type OpenAdapter<Port> = (tools: AdapterContext) => Promise<Port>;

/** An adapter that the configuration can name. The type of its options stays inside, with the codec and `open`. */
export interface AdapterFactory<Port> {
  /** The options of its block, for finding unknown keys and for the documentation; undefined when its codec is no plain block. */
  readonly options: Options | undefined;
  /** Decodes the adapter's own keys of a block. Left: what is wrong with them, at paths below `context`. */
  prepare(keys: unknown, context: t.Context): Either<t.Errors, OpenAdapter<Port>>;
}

/** The adapters of one port, by the word that names them in the configuration; each is loaded when it is asked for. */
export type Registry<Port> = Readonly<Record<string, () => Promise<AdapterFactory<Port>>>>;

export const offer = <Configuration, Port>(
  definition: AdapterDefinition<Configuration, Port>,
): AdapterFactory<Port> => ({
  options: definition.configuration instanceof Block ? definition.configuration.options : undefined,
  prepare: (keys, context) =>
    map(
      (configuration: Configuration): OpenAdapter<Port> =>
        (tools) =>
          definition.open(configuration, tools),
    )(definition.configuration.validate(keys, context)),
});
