import { type Either, map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { AdapterContext, AdapterDefinition } from '../../adapters/kit/definition.ts';
import { Block, type Options } from '../../adapters/kit/option-block.ts';

/** Opens an adapter whose options are decoded. It rejects only for a configuration that can never work. */
export type OpenAdapter<Port> = (context: AdapterContext) => Promise<Port>;

/** An adapter that the configuration can name, without the type of its options. */
export interface AdapterFactory<Port> {
  /** The adapter's options, for unknown keys and the documentation. Undefined when its codec is not a block. */
  readonly options: Options | undefined;
  /** Decodes the adapter's own keys of a block. Left: their problems, with paths below `context`. */
  prepare(keys: unknown, context: t.Context): Either<t.Errors, OpenAdapter<Port>>;
}

export const adapterFactory = <Configuration, Port>(
  definition: AdapterDefinition<Configuration, Port>,
): AdapterFactory<Port> => ({
  options: definition.configuration instanceof Block ? definition.configuration.options : undefined,
  prepare: (keys, context) =>
    map(
      (configuration: Configuration): OpenAdapter<Port> =>
        (adapterContext) =>
          definition.open(configuration, adapterContext),
    )(definition.configuration.validate(keys, context)),
});
