import { isLeft, left, map, mapLeft, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { AdapterFactory, OpenAdapter, PortName, Ports } from '../../adapters/kit/definition.ts';
import {
  type Block,
  block,
  isMapping,
  member,
  type Options,
  required,
  type Values,
} from '../../adapters/kit/option-block.ts';
import { type Codec, choice, text } from '../../adapters/kit/option-codecs.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { type Registry, stores } from '../registry.ts';
import { below, decodedAt, omit, pick, problemAt, validate, withErrors } from './option-errors.ts';

/** The decoded options of the service in a block, and the function that opens the adapter which the block names. */
export type WithAdapter<O extends Options, Port> = Values<O> & { readonly open: OpenAdapter<Port> };

/** The type that stands for an adapter of another package. */
export const moduleType = 'module';

/** The option of a block whose adapter comes from another package. */
export const moduleBlock = block({
  module: required(text, 'The package that exports the adapter, or its file, with ./ or / at the start.'),
});

/** Where the adapters of a port come from. */
interface AdapterSources<Name extends PortName> {
  readonly port: Name;
  /** The adapters of this package. */
  readonly registry: Registry<Ports[Name]>;
  /** The folders in which adapters of other packages are searched, in this order. */
  readonly folders: readonly string[];
}

interface Choosable<W> {
  readonly codec: Pick<Codec<W, unknown>, 'decode'>;
  readonly fallback: { readonly value: W } | undefined;
}

/** The value of the option that names the adapter. Undefined if it is missing or wrong, which the block reports. */
export const chosen = <W>({ codec, fallback }: Choosable<W>, given: unknown): W | undefined => {
  if (given === undefined || given === null) return fallback?.value;
  const decoded = codec.decode(given);
  return isLeft(decoded) ? undefined : decoded.right;
};

const anything: Codec<unknown> = t.unknown;

/** The options of an adapter. One that does not show them checks its keys itself, so that each of them is accepted. */
const optionsOf = <Port>({ options }: AdapterFactory<Port>, keys: unknown): Options =>
  options ??
  Object.fromEntries(
    Object.keys(isMapping(keys) ? keys : {}).map((key) => [
      key,
      { codec: anything, meaning: '', fallback: { value: null } },
    ]),
  );

/** Decodes a block whose keys are options of the service or of the adapter, with the errors of both. */
export const decodeAdapterBlock = <O extends Options, Port>(
  service: Block<O>,
  factory: AdapterFactory<Port>,
  given: unknown,
  context: t.Context,
): t.Validation<WithAdapter<O, Port>> => {
  const own = Object.keys(service.options);
  const keys = omit(given, own);
  // One block for both, so that an unknown key is reported once, with the nearest of all known keys.
  const merged = validate(block({ ...service.options, ...optionsOf(factory, keys) }), given, context);
  const prepared = decodedAt(factory.prepare(keys), context, 'other options');
  if (isLeft(merged)) {
    const errors = factory.options === undefined && isLeft(prepared) ? prepared.left : [];
    return left([...merged.left, ...errors]);
  }
  const values = validate(service, pick(given, own), context);
  if (isLeft(values)) return withErrors(values, isLeft(prepared) ? prepared.left : []);
  return map((open: OpenAdapter<Port>) => ({ ...values.right, open }))(prepared);
};

const loadFactory = async <Name extends PortName>(
  { port, registry, folders }: AdapterSources<Name>,
  type: string | undefined,
  given: unknown,
  context: t.Context,
): Promise<t.Validation<AdapterFactory<Ports[Name]>>> => {
  if (type !== moduleType) {
    const factory = type === undefined ? undefined : await registry[type]?.();
    // The codec of the option reports the error.
    return factory === undefined ? left([]) : right(factory);
  }
  const named = validate(moduleBlock, pick(given, ['module']), context);
  if (isLeft(named)) return named;
  // Loaded on demand: few configurations name a module.
  const { loadModule } = await import('../plugins/load-module.ts');
  const loaded = await loadModule(port, named.right.module, folders);
  return mapLeft((message: string): t.Errors => [problemAt(below(context, 'module'), message)])(loaded);
};

/** Decodes a block that names an adapter, of this package or of another one, by its type. */
export const decodeNamedAdapter = async <O extends Options, Name extends PortName>(
  service: Block<O>,
  type: string | undefined,
  sources: AdapterSources<Name>,
  given: unknown,
  context: t.Context,
): Promise<t.Validation<WithAdapter<O, Ports[Name]>>> => {
  const factory = await loadFactory(sources, type, given, context);
  if (!isLeft(factory)) {
    const others = type === moduleType ? omit(given, ['module']) : given;
    return decodeAdapterBlock(service, factory.right, others, context);
  }
  // Without the adapter only the keys of the service can be checked.
  const values = validate(service, pick(given, Object.keys(service.options)), context);
  const errors = [...(isLeft(values) ? values.left : []), ...factory.left];
  return left(errors.length > 0 ? errors : [problemAt(context, 'names no adapter')]);
};

/** The decoded block `database` (docs/configuration.md). */
export interface Database {
  readonly type: string;
  readonly open: OpenAdapter<StorePorts>;
  /** The file of the embedded database; null for any other. */
  readonly file: string | null;
}

const types = [...Object.keys(stores), moduleType];

/** The option of the block that doesn't depend on the type of the database. */
export const databaseBlock = block({
  type: required(choice(types), 'Where users are stored.'),
});

/** The file of the embedded database; null if the option is wrong, which the block reports. */
const embeddedFile = async (given: unknown): Promise<string | null> => {
  const path = (await stores.sqlite?.())?.options?.path;
  const file = path && chosen(path, member(given, 'path'));
  return text.is(file) ? file : null;
};

/** Decodes the block, which is required. Adapters of other packages are searched in `folders`. */
export const decodeDatabase = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<Database>> => {
  if (given === undefined)
    return left([problemAt(context, `is required: a block with type: one of ${types.join(', ')}`)]);
  const type = chosen(databaseBlock.options.type, member(given, 'type'));
  const sources = { port: 'UserStore', registry: stores, folders } as const;
  const decoded = await decodeNamedAdapter(databaseBlock, type, sources, given, context);
  const file = type === 'sqlite' ? await embeddedFile(given) : null;
  return map((values: Omit<Database, 'file'>): Database => ({ ...values, file }))(decoded);
};
