import { isLeft, map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { AdapterContext, OpenAdapter } from '../../adapters/kit/definition.ts';
import { block, isMapping, member, withDefault } from '../../adapters/kit/option-block.ts';
import { choice } from '../../adapters/kit/option-codecs.ts';
import { Fault } from '../../application/fault.ts';
import type { Secrets } from '../../application/ports/secrets.ts';
import { secrets as providers } from '../registry.ts';
import { chosen, decodeNamedAdapter, moduleType } from './adapter-block.ts';
import { below, omit, problemAt } from './option-errors.ts';

/** The decoded block `secrets` (docs/configuration.md). */
export interface SecretsBlock {
  readonly provider: string;
  readonly open: OpenAdapter<Secrets>;
  /** The names of the secrets in the other blocks. */
  readonly named: readonly string[];
}

const environment = 'env';

/** The option of the block that doesn't depend on the provider. */
export const secretsBlock = block({
  provider: withDefault(choice([...Object.keys(providers), moduleType]), environment, 'Where ${NAME} comes from.'),
});

// `$${` stands for `${`. The last alternative matches a `${` without a closing brace.
const placeholder = /\$\$\{|\$\{([^}]*)\}|\$\{/g;
// The characters in names of environment variables and of secrets in AWS Secrets Manager.
const secretName = /^[A-Za-z0-9/_+=.@-]+$/;
const malformed =
  'expected ${NAME} or ${NAME:-default}, with a name of letters, digits and / _ + = . @ -; write $${ for a literal ${';

/** A text in the file, and its path. */
interface Scalar {
  readonly text: string;
  readonly context: t.Context;
}

const textsIn = (value: unknown, context: t.Context): readonly Scalar[] => {
  if (typeof value === 'string') return [{ text: value, context }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, below(context, String(index))));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, below(context, key)));
};

/** A secret that a text names, and what stands for it where it is unknown. */
interface Reference {
  readonly name: string;
  readonly fallback: string | undefined;
}

/** The reference between the braces of a placeholder; undefined if it is malformed. */
const referenceOf = (inner = ''): Reference | undefined => {
  const [name = '', ...fallback] = inner.split(':-');
  if (!secretName.test(name)) return undefined;
  return { name, fallback: fallback.length === 0 ? undefined : fallback.join(':-') };
};

/** The references in a text; undefined for each that is malformed. */
const referencesIn = (text: string): readonly (Reference | undefined)[] =>
  [...text.matchAll(placeholder)].filter(([found]) => found !== '$${').map(([, inner]) => referenceOf(inner));

const secretsIn = (texts: readonly Scalar[]): readonly string[] => [
  ...new Set(texts.flatMap(({ text }) => referencesIn(text)).flatMap((reference) => reference?.name ?? [])),
];

/** A value with each of its texts changed. */
const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
};

/** Replaces `$${` with `${`, and the names of secrets with their values, or with what stands for unknown ones. */
const replacePlaceholders = (value: unknown, known: ReadonlyMap<string, string>): unknown =>
  mapTexts(value, (text) =>
    text.replace(placeholder, (found, inner: string | undefined) => {
      if (found === '$${') return '${';
      const reference = referenceOf(inner);
      return reference === undefined ? found : (known.get(reference.name) ?? reference.fallback ?? found);
    }),
  );

/** A filled value as a document without placeholders, which decodes to it. */
export const withoutPlaceholders = (value: unknown): unknown =>
  mapTexts(value, (text) => text.replaceAll('${', () => '$${'));

/** A value whose placeholders are replaced, and an error for each whose secret is unknown. */
interface Filled {
  readonly value: unknown;
  readonly errors: t.Errors;
}

/**
 * Replaces every `${NAME}` in the texts of a value with its secret, every `${NAME:-default}` with its secret or, where that
 * is unknown, the default, and `$${` with `${`. Secrets are looked up once
 * and never parsed, neither as YAML nor for placeholders.
 * Throws the provider's Fault `secrets_unavailable`; an unknown secret is an error at each place that names it.
 */
export const fill = async (value: unknown, context: t.Context, secrets: Secrets): Promise<Filled> => {
  const texts = textsIn(value, context);
  const known = new Map<string, string>();
  const missing = new Map<string, string>();
  const lookUp = async (name: string): Promise<void> => {
    try {
      known.set(name, await secrets.get(name));
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'secret_unknown')) throw error;
      missing.set(name, error.message);
    }
  };
  await Promise.all(secretsIn(texts).map(lookUp));
  const unknownText = ({ name, fallback }: Reference) => (fallback === undefined ? missing.get(name) : undefined);
  const errors = texts.flatMap(({ text, context: at }) =>
    referencesIn(text).flatMap((reference) => {
      const message = reference === undefined ? malformed : unknownText(reference);
      return message === undefined ? [] : [problemAt(at, message)];
    }),
  );
  return { value: replacePlaceholders(value, known), errors };
};

/** The texts with placeholders, with their paths. */
const unfilledPlaces = (value: unknown): readonly t.Context[] =>
  textsIn(value, [])
    .filter(({ text }) => referencesIn(text).length > 0)
    .map(({ context }) => context);

const fillFrom = async (
  open: OpenAdapter<Secrets>,
  value: unknown,
  context: t.Context,
  adapterContext: AdapterContext,
): Promise<Filled> => {
  // Without placeholders the provider may be unavailable.
  if (unfilledPlaces(value).length === 0) return { value: replacePlaceholders(value, new Map()), errors: [] };
  const port = await open(adapterContext);
  try {
    return await fill(value, context, port);
  } finally {
    // What was read can be used all the same.
    await port.close().catch(() => undefined);
  }
};

const decodeProvider = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<Omit<SecretsBlock, 'named'>>> => {
  const provider = chosen(secretsBlock.options.provider, member(given, 'provider'));
  const sources = { port: 'Secrets', registry: providers, folders } as const;
  return decodeNamedAdapter(secretsBlock, provider, sources, given ?? {}, context);
};

/** The document without the block `secrets`, filled in, and the decoded block. */
interface Resolved extends Filled {
  readonly secrets: t.Validation<SecretsBlock>;
  /** The texts that keep their placeholders, because the block `secrets` itself is wrong. */
  readonly unfilled: readonly t.Context[];
}

/**
 * Fills in the placeholders of a document: those of the block `secrets` from the environment, all others from the
 * provider that the block names. Throws the provider's Fault when it is unavailable. Adapters of other packages are
 * searched in `folders`.
 */
export const resolveSecrets = async (
  document: unknown,
  adapterContext: AdapterContext,
  folders: readonly string[],
): Promise<Resolved> => {
  const at = below([], 'secrets');
  const fromEnvironment = await decodeProvider({ provider: environment }, at, folders);
  if (isLeft(fromEnvironment)) throw new TypeError('the environment takes no options');
  const own = await fillFrom(fromEnvironment.right.open, member(document, 'secrets'), at, adapterContext);
  const provider = await decodeProvider(own.value, at, folders);
  const others = omit(document, ['secrets']);
  const named = secretsIn(textsIn(others, []));
  const secrets = map((decoded: Omit<SecretsBlock, 'named'>): SecretsBlock => ({ ...decoded, named }))(provider);
  if (own.errors.length > 0 || isLeft(secrets))
    return { value: others, errors: own.errors, secrets, unfilled: unfilledPlaces(others) };
  return { ...(await fillFrom(secrets.right.open, others, [], adapterContext)), secrets, unfilled: [] };
};
