import { mkdir, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Arguments, exitStatus, UsageError } from './command-line.ts';
import { describeFileError, reportFailure } from './errors.ts';
import { productionChoice, productionConfiguration } from './production-configuration.ts';
import { shellQuote } from './welcome.ts';

interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/** Creates all files or none. Rejects with EEXIST for a file that exists, and leaves that file unchanged. */
const createFiles = async (files: readonly NewFile[]): Promise<void> => {
  const created: string[] = [];
  try {
    for (const { path, text, mode } of files) {
      const file = await open(path, 'wx', mode);
      created.push(path);
      await file.writeFile(text).finally(() => file.close());
    }
  } catch (error) {
    await Promise.all(created.map((path) => rm(path, { force: true })));
    throw error;
  }
};

const nextSteps = (folder: string, missing: readonly string[]): string => {
  const first = missing.length === 0 ? '' : `Fill in .env first: ${missing.join(', ')}. `;
  const commands = [
    ...(folder === '.' ? [] : [`cd ${shellQuote(resolve(folder))}`]),
    'set -a; . ./.env; set +a',
    'latchkey check latchkey.yaml',
    'latchkey serve latchkey.yaml',
  ];
  return `\n${first}Then check and start the service:\n\n${commands.map((line) => `  ${line}\n`).join('')}`;
};

const isExistingFile = (error: unknown): error is Error & { readonly path: string } =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST' && 'path' in error;

/**
 * Writes `latchkey.yaml` and `.env`, with generated secrets, to a folder, which is created if it is missing, and prints
 * the next steps. Never overwrites a file.
 */
export const init = async ({ values, positionals }: Arguments): Promise<number> => {
  if (positionals.length > 0) throw new UsageError('init takes no file; --output names the folder for its files');
  if (!values.production) throw new UsageError('init needs --production; development needs no configuration');
  const choice = productionChoice(values.database ?? 'sqlite', values.mailer ?? 'smtp');
  if (typeof choice === 'string') throw new UsageError(choice);
  const folder = values.output ?? '.';
  const { yaml, env, missing } = productionConfiguration(choice);
  const files = [
    { path: join(folder, 'latchkey.yaml'), text: yaml, mode: 0o644 },
    { path: join(folder, '.env'), text: env, mode: 0o600 },
  ];
  try {
    await mkdir(folder, { recursive: true });
    await createFiles(files);
  } catch (error) {
    if (!isExistingFile(error)) return reportFailure(describeFileError(error));
    process.stderr.write(`latchkey: ${error.path} exists already and stays unchanged; --output names another folder\n`);
    return exitStatus.wrongConfiguration;
  }
  for (const { path } of files) process.stdout.write(`ok    ${path}\n`);
  process.stdout.write(nextSteps(folder, missing));
  return exitStatus.done;
};
