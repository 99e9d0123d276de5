import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { aboutFile } from '../transfer/unusable-file.ts';
import { exitStatus } from './exit-status.ts';
import { type Choice, productionConfiguration } from './production-configuration.ts';
import { reportFailure } from './report.ts';
import { quoted } from './welcome.ts';

/** A file that is about to be written. */
interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

const fill = async (file: FileHandle, text: string): Promise<void> => {
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
};

/** Writes all files or none. Rejects with EEXIST for one that exists already, which stays as it is. */
const writeNew = async (files: readonly NewFile[]): Promise<void> => {
  const created: string[] = [];
  try {
    for (const { path, text, mode } of files) {
      const file = await open(path, 'wx', mode);
      created.push(path);
      await fill(file, text);
    }
  } catch (error) {
    await Promise.all(created.map((path) => rm(path, { force: true })));
    throw error;
  }
};

const nextSteps = (folder: string, missing: readonly string[]): string => {
  const first = missing.length === 0 ? '' : `Fill in .env first: ${missing.join(', ')}. `;
  const commands = [
    ...(folder === '.' ? [] : [`cd ${quoted(resolve(folder))}`]),
    'set -a; . ./.env; set +a',
    'latchkey check latchkey.yaml',
    'latchkey serve latchkey.yaml',
  ];
  return `\n${first}Then check and start the service:\n\n${commands.map((line) => `  ${line}\n`).join('')}`;
};

const isTaken = (error: unknown): error is Error & { readonly path: string } =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST' && 'path' in error;

/**
 * Writes `latchkey.yaml` and `.env`, with generated secrets, into a folder, which is made when it is missing, and prints
 * what to do next. Resolves with the exit status; a file that exists is never overwritten.
 */
export const init = async (choice: Choice, folder: string): Promise<number> => {
  const { yaml, env, missing } = productionConfiguration(choice);
  const files = [
    { path: join(folder, 'latchkey.yaml'), text: yaml, mode: 0o644 },
    { path: join(folder, '.env'), text: env, mode: 0o600 },
  ];
  try {
    await mkdir(folder, { recursive: true });
    await writeNew(files);
  } catch (error) {
    if (!isTaken(error)) return reportFailure(aboutFile(error));
    process.stderr.write(`latchkey: ${error.path} exists already and stays as it is; --output names another folder\n`);
    return exitStatus.wrongConfiguration;
  }
  for (const { path } of files) process.stdout.write(`ok    ${path}\n`);
  process.stdout.write(nextSteps(folder, missing));
  return exitStatus.done;
};
