import { isLeft } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { AdapterContext } from '../../adapters/kit/definition.ts';
import { member, type Problem, problemsOf } from '../../adapters/kit/option-block.ts';
import type { Log } from '../../application/ports/log.ts';
import { type Configuration, decode } from './configuration.ts';
import { withoutIgnoredKeys } from './dropwizard.ts';
import { ignoredEmailKeys } from './email-block.ts';
import { problemAt } from './option-errors.ts';
import { decodeOperationTimeout, defaultOperationTimeoutMs } from './plain-blocks.ts';
import { resolveSecrets, withoutPlaceholders } from './secrets-block.ts';
import { warningsOf } from './warnings.ts';

export type { Configuration } from './configuration.ts';

/** The line of the file on which a path is written. Undefined if it is not known. */
type LineOf = (path: string) => number | undefined;

/** A problem as one line of a message. */
const described = ({ path, message }: Problem, lineOf: LineOf): string => {
  const line = lineOf(path);
  const places = [...(line === undefined ? [] : [`line ${line}`]), ...(path === '' ? [] : [path])];
  return `  ${[...places, message].join(': ')}`;
};

/**
 * A configuration that can't be used. The message names the file and lists the problems, one per line: paths, lines and
 * advice, never a value.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(
    readonly file: string,
    readonly problems: readonly Problem[],
    lineOf: LineOf = () => undefined,
  ) {
    const head = `${file} can't be used: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}`;
    super([head, ...problems.map((problem) => described(problem, lineOf))].join('\n'));
  }
}

/** A valid configuration, and warnings about settings that are probably not intended. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  /** The document with its secrets: decodes to the same configuration as long as the files that it names are the same. */
  readonly document: unknown;
  readonly warnings: readonly string[];
}

/** The context of the secrets provider, which opens before the document is decoded. */
const earlyContext = (document: unknown, log: Log): AdapterContext => {
  const timeout = decodeOperationTimeout(document);
  return { log, operationTimeoutMs: isLeft(timeout) ? defaultOperationTimeoutMs : timeout.right };
};

/** All problems. Those that decoders report about a text with an unknown secret are left out. */
const problemsIn = (missing: t.Errors, unfilled: readonly t.Context[], wrong: t.Errors): readonly Problem[] => {
  const problems = problemsOf(missing);
  const unknown = problemsOf(unfilled.map((context) => problemAt(context, 'is not known')));
  const withoutSecret = new Set([...problems, ...unknown].map(({ path }) => path));
  return [...problems, ...problemsOf(wrong).filter(({ path }) => !withoutSecret.has(path))];
};

/**
 * Decodes the values of a configuration, reads its files and looks up its secrets. Errors call it `name`. Adapters of
 * other packages are searched in the working directory, then in `folder`.
 * Throws a ConfigurationError with every problem, and the Fault `secrets_unavailable` of an unavailable provider.
 * Neither errors nor warnings contain values.
 */
export const decodeConfiguration = async (
  name: string,
  values: unknown,
  log: Log,
  folder = process.cwd(),
): Promise<ReadConfiguration> => {
  // First, so that no secrets are looked up for keys without effect.
  const trimmed = withoutIgnoredKeys(values);
  const context = earlyContext(trimmed.value, log);
  const folders = [process.cwd(), folder];
  const { value, errors, secrets, unfilled } = await resolveSecrets(trimmed.value, context, folders);
  const decoded = await decode(value, secrets, folders);
  if (isLeft(decoded) || errors.length > 0)
    throw new ConfigurationError(name, problemsIn(errors, unfilled, isLeft(decoded) ? decoded.left : []));
  const ignored = ignoredEmailKeys(member(value, 'email'));
  return {
    configuration: decoded.right,
    document: withoutPlaceholders(value),
    warnings: [
      ...trimmed.warnings,
      ...ignored.map((key) => `email.${key} has no effect: email.type is none`),
      ...warningsOf(decoded.right),
    ],
  };
};
