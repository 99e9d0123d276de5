import type * as t from 'io-ts';
import { Fault } from '../../application/fault.ts';
import type { Secrets } from '../../application/ports/secrets.ts';
import { isMapping } from './document.ts';
import { below, problemAt } from './validation.ts';

// `$${` stands for `${`; a `${` that is never closed matches last.
const placeholder = /\$\$\{|\$\{([^}]*)\}|\$\{/g;
// The names that environment variables and AWS Secrets Manager can have between them.
const secretName = /^[A-Za-z0-9/_+=.@-]+$/;

/** A text of the file, with where it stands. */
interface Scalar {
  readonly text: string;
  readonly context: t.Context;
}

const textsOf = (value: unknown, context: t.Context): readonly Scalar[] => {
  if (typeof value === 'string') return [{ text: value, context }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsOf(item, below(context, String(index))));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => textsOf(item, below(context, key)));
};

/** The names between `${` and `}`; undefined stands for what can't be a name. */
const namesIn = (text: string): readonly (string | undefined)[] =>
  [...text.matchAll(placeholder)]
    .filter(([found]) => found !== '$${')
    .map(([, name]) => (name !== undefined && secretName.test(name) ? name : undefined));

/** A value with its placeholders filled in as far as the secrets are known, and an error for each that is not. */
export interface Filled {
  readonly value: unknown;
  readonly errors: t.Errors;
}

const malformed =
  'a placeholder is ${NAME}, with a name of letters, digits and / _ + = . @ -; write $${ for a plain ${';

/** A value with `$${` as `${`, and with the secrets that are known in the place of their names. */
export const replaced = (value: unknown, known: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') {
    return value.replace(placeholder, (found, name: string | undefined) =>
      found === '$${' ? '${' : (known.get(name ?? '') ?? found),
    );
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, known));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, known)]));
};

/** What the provider answered for a name: the secret, or why it has none. */
type Answer = { readonly secret: string } | { readonly missing: string };

const ask = async (secrets: Secrets, name: string): Promise<Answer> => {
  try {
    return { secret: await secrets.get(name) };
  } catch (error) {
    if (error instanceof Fault && error.code === 'secret_unknown') return { missing: error.message };
    throw error;
  }
};

/** Where a value holds placeholders: the contexts of their texts. */
export const placesOf = (value: unknown, context: t.Context): readonly t.Context[] =>
  textsOf(value, context)
    .filter(({ text }) => namesIn(text).length > 0)
    .map((scalar) => scalar.context);

/** The secrets that the placeholders of texts name, each once. */
const secretsIn = (texts: readonly Scalar[]): readonly string[] =>
  [...new Set(texts.flatMap(({ text }) => namesIn(text)))].filter((name) => name !== undefined);

/** The secrets that a value names, each once. */
export const secretsNamed = (value: unknown): readonly string[] => secretsIn(textsOf(value, []));

/**
 * Replaces every `${NAME}` in the texts of a value, in whole or in part, and `$${` with `${`. What a secret holds is
 * never read again, neither as YAML nor as a placeholder. Each secret is looked up once.
 * Throws the provider's Fault `secrets_unavailable`; an unknown secret is an error at each place that names it.
 */
export const fill = async (value: unknown, context: t.Context, secrets: Secrets): Promise<Filled> => {
  const texts = textsOf(value, context);
  const answers = new Map(
    await Promise.all(secretsIn(texts).map(async (name) => [name, await ask(secrets, name)] as const)),
  );
  const known = new Map<string, string>();
  for (const [name, answer] of answers) if ('secret' in answer) known.set(name, answer.secret);
  const errors = texts.flatMap(({ text, context: at }) =>
    namesIn(text).flatMap((name) => {
      if (name === undefined) return [problemAt(at, malformed)];
      const answer = answers.get(name);
      return answer !== undefined && 'missing' in answer ? [problemAt(at, answer.missing)] : [];
    }),
  );
  return { value: replaced(value, known), errors };
};
