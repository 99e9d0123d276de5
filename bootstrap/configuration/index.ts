import { dirname, resolve } from 'node:path';
import { isLeft } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { AdapterContext } from '../../adapters/kit/definition.ts';
import { type Problem, problemsOf } from '../../adapters/kit/option-block.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from './configuration.ts';
import { decode } from './decode.ts';
import { member } from './document.ts';
import { withoutIdleKeys } from './dropwizard.ts';
import { idleEmailKeys } from './email.ts';
import { ConfigurationError } from './error.ts';
import { decodeOperationTimeout, defaultOperationTimeout } from './operation-timeout.ts';
import { resolveSecrets } from './secrets.ts';
import { problemAt } from './validation.ts';
import { warningsOf } from './warnings.ts';

export type { Configuration } from './configuration.ts';
export { ConfigurationError } from './error.ts';

/** A configuration that can be used, and lines about what is likely not meant. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly warnings: readonly string[];
}

/** What an adapter gets while the configuration is still being read: the timeout, unless that is itself a secret. */
const earlyTools = (document: unknown, log: Log): AdapterContext => {
  const timeout = decodeOperationTimeout(document, []);
  return { log, operationTimeout: isLeft(timeout) ? defaultOperationTimeout : timeout.right };
};

/** Every problem once: what a codec says about a text whose secret is missing means nothing. */
const problemsIn = (missing: t.Errors, unread: readonly t.Context[], wrong: t.Errors): readonly Problem[] => {
  const problems = problemsOf(missing);
  const unfilled = problemsOf(unread.map((context) => problemAt(context, 'is not known')));
  const excused = new Set([...problems, ...unfilled].map(({ path }) => path));
  return [...problems, ...problemsOf(wrong).filter(({ path }) => !excused.has(path))];
};

/**
 * Decodes the values of a configuration, with its secrets and the files that it names; errors call it `name`. Adapters
 * of other packages are looked for from the directory where the service is started, then from `folder`.
 * Throws a ConfigurationError with every problem, and the Fault `secrets_unavailable` of a provider that can't be
 * reached. Nothing that it throws or warns of holds a value.
 */
export const decodeConfiguration = async (
  name: string,
  values: unknown,
  log: Log,
  folder = process.cwd(),
): Promise<ReadConfiguration> => {
  // Before the secrets: what has no effect needs none.
  const trimmed = withoutIdleKeys(values);
  const tools = earlyTools(trimmed.value, log);
  const folders = [process.cwd(), folder];
  const { value, errors, secrets, unread } = await resolveSecrets(trimmed.value, tools, folders);
  const decoded = await decode(value, secrets, folders);
  if (isLeft(decoded) || errors.length > 0) {
    throw new ConfigurationError(name, problemsIn(errors, unread, isLeft(decoded) ? decoded.left : []));
  }
  const idle = idleEmailKeys(member(value, 'email'));
  return {
    configuration: decoded.right,
    warnings: [
      ...trimmed.warnings,
      ...idle.map((key) => `email.${key} has no effect: email.type is none`),
      ...warningsOf(decoded.right),
    ],
  };
};

/** Reads a YAML file and decodes it, and throws as `decodeConfiguration` does; a syntax error is a problem, too. */
export const readConfiguration = async (file: string, log: Log): Promise<ReadConfiguration> => {
  // Loaded here, because a configuration may also come from elsewhere.
  const { readYaml } = await import('./yaml-file.ts');
  const parsed = await readYaml(file);
  if (isLeft(parsed)) throw new ConfigurationError(file, parsed.left);
  return decodeConfiguration(file, parsed.right, log, resolve(dirname(file)));
};
