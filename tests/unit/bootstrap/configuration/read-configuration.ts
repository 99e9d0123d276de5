import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '../../../../bootstrap/configuration/configuration-file.ts';
import {
  type Configuration,
  ConfigurationError,
  type ReadConfiguration,
} from '../../../../bootstrap/configuration/index.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

/** Files in the folder of the configuration file, by name. `@/` in the configuration stands for the folder. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** Reads a configuration from a file in a temporary folder. */
export const read = async (yaml: string, files: Files = {}): Promise<ReadConfiguration> => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const file = join(folder, 'latchkey.yaml');
    await writeFile(file, yaml.replaceAll('@/', `${folder}/`));
    return await readConfiguration(file, silentContext.log);
  } finally {
    await rm(folder, { recursive: true });
  }
};

export const configured = async (yaml: string, files?: Files): Promise<Configuration> =>
  (await read(yaml, files)).configuration;

export const warningsOf = async (yaml: string, files?: Files): Promise<readonly string[]> =>
  (await read(yaml, files)).warnings;

/** The error of a configuration that can't be used. */
export const refusalOf = async (yaml: string, files?: Files): Promise<ConfigurationError> => {
  const outcome: unknown = await read(yaml, files).catch((error: unknown) => error);
  if (outcome instanceof ConfigurationError) return outcome;
  throw new Error('the configuration was expected to be refused', { cause: outcome });
};

/** The problems of a configuration, one line each. */
export const problemsOf = async (yaml: string, files?: Files): Promise<readonly string[]> =>
  (await refusalOf(yaml, files)).problems.map(({ path, message }) => `${path}: ${message}`);

/** The smallest valid file. */
export const database = 'database: {type: sqlite}';

/** A file that sends mails, with further options of the block. */
export const withMails = (options = ''): string =>
  `${database}\nserver: {publicUrl: http://localhost}\nauth: {keys: [{application: a, secret: a secret of an application}]}\nemail: {type: outbox${options}}`;

const mappingAt = (keys: readonly string[], value: unknown): unknown => {
  const [key, ...others] = keys;
  return key === undefined ? value : { [key]: mappingAt(others, value) };
};

/** The blocks of a file without warnings. */
const safe: Readonly<Record<string, unknown>> = {
  server: { publicUrl: 'https://accounts.example.com' },
  database: { type: 'sqlite' },
  email: { type: 'outbox', tokenLifetime: '24h' },
  passwordHash: { algorithm: 'argon2', serverSideHash: true },
  throttle: { clientHeader: 'X-Client-Address' },
  auth: { keys: [{ application: 'a', secret: 'a secret of the application' }] },
};

/** The warnings of a safe file with some blocks replaced; undefined removes a block. */
export const warningsWith = (
  blocks: Readonly<Record<string, unknown>> = {},
  files?: Files,
): Promise<readonly string[]> => warningsOf(JSON.stringify({ ...safe, ...blocks }), files);

/** The smallest file with one more option; `path` is dotted. JSON is YAML too. */
export const withOption = (path: string, value: unknown): string => {
  const [section = '', ...keys] = path.split('.');
  const required: Readonly<Record<string, object>> = { email: { type: 'outbox' }, database: { type: 'sqlite' } };
  const added = mappingAt(keys, value);
  const merged =
    typeof added === 'object' && added !== null && !Array.isArray(added) ? { ...required[section], ...added } : added;
  return JSON.stringify({ database: required.database, [section]: merged });
};

/** The value at a dotted path. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null
          ? Object.entries(inner).find(([name]) => name === key)?.[1]
          : undefined,
      value,
    );
