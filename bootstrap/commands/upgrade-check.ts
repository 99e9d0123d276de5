import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { parse } from 'fp-ts/lib/Json.js';
import { readSmallFile } from '../../adapters/kit/small-file.ts';
import { moduleType } from '../configuration/adapter-block.ts';
import { chosenFile, readConfiguration } from '../configuration/configuration-file.ts';
import type { Configuration } from '../configuration/index.ts';
import { namingOf } from '../features/names-block.ts';
import { packageFolder } from '../installed-package.ts';
import { openLog } from '../log-output.ts';
import { CommandError, describeFileError, reportFailure } from './command-errors.ts';
import { type Command, exitStatus, UsageError } from './command-line.ts';
import { Compatibility, compared, compatibilityFile } from './compatibility.ts';

/** What a version says about itself: `path` is the folder of its package, or its file. Throws CommandError. */
const readCompatibility = async (path: string): Promise<Compatibility> => {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    (error: unknown) => {
      throw describeFileError(error);
    },
  );
  const file = isFolder ? join(path, compatibilityFile) : path;
  if (isFolder && !existsSync(file))
    throw new CommandError(`${file}: no such file; expected the folder of a package of 0.2.0 or later`);
  const bytes = readSmallFile(file);
  if (isLeft(bytes)) throw new CommandError(`${file}: ${bytes.left}`);
  const content = parse(bytes.right.toString());
  if (isRight(content) && Compatibility.is(content.right)) return content.right;
  throw new CommandError(`${file}: expected ${compatibilityFile} of a package of Latchkey`);
};

/** The ports whose adapters come from other packages. */
const foreignPorts = ({ database, email, secrets, passwordHash }: Configuration): readonly string[] =>
  Object.entries({
    UserStore: database.type,
    Mailer: email?.type,
    Secrets: secrets.provider,
    PasswordHash: passwordHash.algorithm,
  })
    .filter(([, type]) => type === moduleType)
    .map(([port]) => port);

/** Prints whether this version and another one can work on one database, and what of the configuration stands in the way. */
export const upgradeCheck: Command = async ({ positionals: [other, config, ...others] }) => {
  if (other === undefined || others.length > 0)
    throw new UsageError('upgrade-check takes the folder of another version, and one configuration file');
  const { path } = chosenFile(config);
  try {
    const own = await readCompatibility(fileURLToPath(packageFolder));
    const { configuration, document } = await readConfiguration(path, await openLog('silent'));
    const findings = compared(own, await readCompatibility(other), {
      database: configuration.database.type,
      keepsNames: namingOf(configuration) !== undefined,
      ports: foreignPorts(configuration),
      document,
    });
    for (const { mark, text } of findings) process.stdout.write(`${mark.padEnd(6)}${text}\n`);
    return findings.some(({ mark }) => mark === 'FAIL') ? exitStatus.failed : exitStatus.done;
  } catch (error) {
    return reportFailure(error, { file: path });
  }
};
