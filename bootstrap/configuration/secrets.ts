import { isLeft, map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { AdapterContext } from '../../adapters/kit/definition.ts';
import { block, withDefault } from '../../adapters/kit/option-block.ts';
import { choice } from '../../adapters/kit/option-codecs.ts';
import type { Secrets as SecretsPort } from '../../application/ports/secrets.ts';
import type { OpenAdapter } from '../registry.ts';
import { secrets as providers } from '../registry.ts';
import { chosen } from './adapter-block.ts';
import { member, without } from './document.ts';
import { decodeNamedAdapter, moduleWord } from './named-adapter.ts';
import { type Filled, fill, placesOf, replaced, secretsNamed } from './placeholders.ts';
import { below } from './validation.ts';

/** The block `secrets` (specification, section 1). */
export interface Secrets {
  readonly provider: string;
  readonly open: OpenAdapter<SecretsPort>;
  /** The secrets that the file names, outside this block. */
  readonly named: readonly string[];
}

const environment = 'env';

/** The options of the block that don't depend on the provider. */
export const secretsBlock = block({
  provider: withDefault(
    choice([...Object.keys(providers), moduleWord]),
    environment,
    'Where the secrets are looked up that the file names as ${NAME}.',
  ),
});

const decodeProvider = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<Omit<Secrets, 'named'>>> => {
  const provider = chosen(secretsBlock.options.provider, member(given, 'provider'));
  const sources = { port: 'Secrets', registry: providers, folders } as const;
  return decodeNamedAdapter(secretsBlock, provider, sources, given ?? {}, context);
};

const fillFrom = async (
  open: OpenAdapter<SecretsPort>,
  value: unknown,
  context: t.Context,
  tools: AdapterContext,
): Promise<Filled> => {
  // A provider that nobody asks need not be reachable.
  if (placesOf(value, []).length === 0) return { value: replaced(value, new Map()), errors: [] };
  const port = await open(tools);
  try {
    return await fill(value, context, port);
  } finally {
    await port.close();
  }
};

/** The document with its secrets, and the block that says where they come from. */
export interface Resolved extends Filled {
  readonly secrets: t.Validation<Secrets>;
  /** Texts that keep their placeholders, because the block that says where the secrets come from is wrong itself. */
  readonly unread: readonly t.Context[];
}

/**
 * Fills in the placeholders of a document: those of its block `secrets` from the environment, all others from the
 * provider that this block names. Throws the provider's Fault when it can't be reached. `folders` are those from which a
 * module is looked for.
 */
export const resolveSecrets = async (
  document: unknown,
  tools: AdapterContext,
  folders: readonly string[],
): Promise<Resolved> => {
  const at = below([], 'secrets');
  const fromEnvironment = await decodeProvider({ provider: environment }, at, folders);
  if (isLeft(fromEnvironment)) throw new TypeError('the environment takes no options');
  const own = await fillFrom(fromEnvironment.right.open, member(document, 'secrets'), at, tools);
  const provider = await decodeProvider(own.value, at, folders);
  const others = without(document, ['secrets']);
  const named = secretsNamed(others);
  const secrets = map((block: Omit<Secrets, 'named'>): Secrets => ({ ...block, named }))(provider);
  if (own.errors.length > 0 || isLeft(secrets)) {
    return { value: others, errors: own.errors, secrets, unread: placesOf(others, []) };
  }
  return { ...(await fillFrom(secrets.right.open, others, [], tools)), secrets, unread: [] };
};
