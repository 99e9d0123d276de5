import { type Either, map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { Block, type Options } from '../application/options.ts';
import type { AdapterDefinition, Tools } from '../application/ports/adapter.ts';

/** Opens an adapter whose options are decoded already. Rejects only for a configuration that can never work. */
export type Opening<Port> = (tools: Tools) => Promise<Port>;

/** An adapter that the configuration can name. The type of its options stays inside, with the codec and `open`. */
export interface Offer<Port> {
  /** The options of its block, for finding unknown keys and for the documentation; undefined when its codec is no plain block. */
  readonly options: Options | undefined;
  /** Decodes the adapter's own keys of a block. Left: what is wrong with them, at paths below `context`. */
  prepare(keys: unknown, context: t.Context): Either<t.Errors, Opening<Port>>;
}

/** The adapters of one port, by the word that names them in the configuration; each is loaded when it is asked for. */
export type Registry<Port> = Readonly<Record<string, () => Promise<Offer<Port>>>>;

export const offer = <Configuration, Port>(definition: AdapterDefinition<Configuration, Port>): Offer<Port> => ({
  options: definition.configuration instanceof Block ? definition.configuration.options : undefined,
  prepare: (keys, context) =>
    map(
      (configuration: Configuration): Opening<Port> =>
        (tools) =>
          definition.open(configuration, tools),
    )(definition.configuration.validate(keys, context)),
});
