import { isLeft, left, mapLeft } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { PortName, Ports } from '../../adapters/kit/definition.ts';
import { type Block, block, type Options, required } from '../../adapters/kit/option-block.ts';
import { text } from '../../adapters/kit/option-codecs.ts';
import type { AdapterFactory, Registry } from '../registry.ts';
import { decodeAdapterBlock, load, type WithAdapter } from './adapter-block.ts';
import { picked, without } from './document.ts';
import { alsoFailing, below, problemAt } from './validation.ts';

/** The word by which a block names an adapter of another package. */
export const moduleWord = 'module';

/** The option that such a block has beside those of the service and of the adapter. */
export const moduleBlock = block({
  module: required(
    text,
    'With module as the type: the package that exports the adapter, or the path of its file, which starts with ./ or /.',
  ),
});

/** Where the adapters of a port come from. */
export interface Sources<Name extends PortName> {
  readonly port: Name;
  /** Those of this package, by the words that name them. */
  readonly registry: Registry<Ports[Name]>;
  /** The folders from which another package is looked for, in turn. */
  readonly folders: readonly string[];
}

const fromModule = async <Name extends PortName>(
  { port, folders }: Sources<Name>,
  given: unknown,
  context: t.Context,
): Promise<t.Validation<AdapterFactory<Ports[Name]>>> => {
  const named = moduleBlock.validate(picked(given, ['module']), context);
  if (isLeft(named)) return named;
  // Only a service that names one needs what finds it.
  const { loadModule } = await import('../plugins/load-module.ts');
  const loaded = await loadModule(port, named.right.module, folders);
  return mapLeft((message: string): t.Errors => [problemAt(below(context, 'module'), message)])(loaded);
};

/**
 * Decodes a block whose keys belong to the service or to the adapter that a word of it names: one of this package, or
 * one that another package exports.
 */
export const decodeNamedAdapter = async <O extends Options, Name extends PortName>(
  service: Block<O>,
  word: string | undefined,
  sources: Sources<Name>,
  given: unknown,
  context: t.Context,
): Promise<t.Validation<WithAdapter<O, Ports[Name]>>> => {
  if (word !== moduleWord) return decodeAdapterBlock(service, await load(sources.registry, word), given, context);
  const offer = await fromModule(sources, given, context);
  if (!isLeft(offer)) return decodeAdapterBlock(service, offer.right, without(given, ['module']), context);
  // The adapter's own keys can't be judged; the service's can.
  const values = service.validate(picked(given, Object.keys(service.options)), context);
  return alsoFailing(isLeft(values) ? values : left([]), offer.left);
};
