import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { linesOf } from '../../adapters/json-lines/lines.ts';
import { userLimits } from '../../adapters/kit/user-json.ts';
import { ImportUserHandler } from '../../application/commands/import-user.ts';
import type { ChosenFile } from '../configuration/chosen-file.ts';
import { type ImportManner, ImportRun } from '../transfer/import-run.ts';
import { openTransfer, type Transfer } from '../transfer/opening.ts';
import { showProgress } from '../transfer/progress.ts';
import { Tally } from '../transfer/tally.ts';
import { aboutFile, UnusableFile } from '../transfer/unusable-file.ts';
import { hashCeilingOf } from '../wiring/hash-ceiling.ts';
import { exitStatus } from './exit-status.ts';
import { reportFailure } from './report.ts';

/** How an import is asked for. */
export interface ImportOptions extends ImportManner {
  /** The file that names every line which was skipped; undefined writes none. */
  readonly report: string | undefined;
}

const sizeOf = async (path: string): Promise<number> => {
  const found = await stat(path);
  if (!found.isFile()) throw new UnusableFile(`${path}: it is no file`);
  return found.size;
};

/** Imports the lines of a file; resolves with whether all of them were looked at. */
const run = async (path: string, transfer: Transfer, manner: ImportManner, tally: Tally): Promise<boolean> => {
  const { configuration, tools, store } = transfer;
  const hash = await configuration.passwordHash.open({ ...tools, hashMemoryKiB: hashCeilingOf(configuration) });
  const users = new ImportUserHandler(store.users, hash, userLimits(configuration.properties));
  const progress = await showProgress(manner.isTrial ? 'checked' : 'imported', await sizeOf(path));
  const run = new ImportRun(users, manner, tally, progress);
  const stop = () => run.stop();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let isComplete = false;
  try {
    isComplete = await run.over(linesOf(createReadStream(path)));
    return isComplete;
  } finally {
    progress.end();
    process.off('SIGINT', stop).off('SIGTERM', stop);
    if (!isComplete) process.stderr.write(`latchkey: not all was imported; --from-line ${run.next} goes on\n`);
  }
};

/** Imports a file and tells what came of it; resolves with whether every line is stored. */
const accounted = async (path: string, transfer: Transfer, { report, ...manner }: ImportOptions): Promise<boolean> => {
  const tally = await Tally.begin(report);
  try {
    const isComplete = await run(path, transfer, manner, tally);
    return isComplete && !tally.hasErrors;
  } finally {
    for (const line of tally.lines(manner.isTrial)) process.stdout.write(`${line}\n`);
    await tally.end();
  }
};

/**
 * Stores the users of a file of JSON lines, while the service runs or not. Resolves with the exit status: 0 when every
 * line was imported, or is there already.
 */
export const importFrom = async (path: string, file: ChosenFile, options: ImportOptions): Promise<number> => {
  try {
    await sizeOf(path);
    const transfer = await openTransfer(file);
    try {
      return (await accounted(path, transfer, options)) ? exitStatus.done : exitStatus.failed;
    } finally {
      await transfer.store.users.close();
    }
  } catch (error) {
    return reportFailure(aboutFile(error));
  }
};
