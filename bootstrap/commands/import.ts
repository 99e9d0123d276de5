import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { linesOf } from '../../adapters/json-lines/lines.ts';
import type { AdministrationBus } from '../../application/bus.ts';
import { chosenFile } from '../configuration/configuration-file.ts';
import { CommandError, describeFileError, reportFailure } from './command-errors.ts';
import { type Arguments, exitStatus, UsageError } from './command-line.ts';
import { type ImportOptions, ImportRun, ImportSummary } from './import-run.ts';
import { openTransfer, showProgress } from './transfer.ts';

const sizeOf = async (path: string): Promise<number> => {
  const found = await stat(path);
  if (!found.isFile()) throw new CommandError(`${path}: is not a regular file`);
  return found.size;
};

/** Imports the lines of a file; resolves with whether all of them were processed. */
const importLines = async (
  path: string,
  bus: AdministrationBus,
  options: ImportOptions,
  summary: ImportSummary,
): Promise<boolean> => {
  const progress = await showProgress(options.dryRun ? 'checked' : 'imported', await sizeOf(path));
  const run = new ImportRun(bus, options, summary, progress);
  const stop = () => run.stop();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let isComplete = false;
  try {
    isComplete = await run.import(linesOf(createReadStream(path)));
    return isComplete;
  } finally {
    progress.end();
    process.off('SIGINT', stop).off('SIGTERM', stop);
    if (!isComplete)
      process.stderr.write(`latchkey: the import is incomplete; --from-line ${run.nextLine} continues it\n`);
  }
};

/** Imports a file and prints the summary; resolves with whether every line is stored. */
const importFile = async (
  path: string,
  bus: AdministrationBus,
  options: ImportOptions,
  reportPath: string | undefined,
): Promise<boolean> => {
  const summary = await ImportSummary.create(reportPath);
  try {
    const isComplete = await importLines(path, bus, options, summary);
    return isComplete && !summary.hasErrors;
  } finally {
    for (const line of summary.lines(options.dryRun)) process.stdout.write(`${line}\n`);
    await summary.close();
  }
};

/**
 * Stores the users of a file of JSON lines, whether the service runs or not. The exit status is 0 if every line was
 * imported, by this run or an earlier one.
 */
export const importUsers = async ({ values, positionals: [path, config, ...others] }: Arguments): Promise<number> => {
  if (path === undefined || others.length > 0)
    throw new UsageError('import takes the file of users and the configuration');
  const fromLine = values['from-line'] ?? '1';
  if (!/^[1-9]\d{0,14}$/.test(fromLine)) throw new UsageError('--from-line takes the number of a line');
  const options = {
    hash: values['hash-passwords'] ?? false,
    dryRun: values['dry-run'] ?? false,
    fromLine: Number(fromLine),
  };
  try {
    await sizeOf(path);
    const { bus, close } = await openTransfer(chosenFile(config, process.env), options.dryRun, options.hash);
    try {
      const isStored = await importFile(path, bus, options, values.report);
      return isStored ? exitStatus.done : exitStatus.failed;
    } finally {
      await close();
    }
  } catch (error) {
    return reportFailure(describeFileError(error));
  }
};
