import { lineOf } from '../../adapters/json-lines/user-line.ts';
import type { QueryBus } from '../../application/bus.ts';
import { CommandError, describeFileError, writeOutput } from './command-errors.ts';
import { type Arguments, programName, UsageError } from './command-line.ts';
import { ExportFile } from './export-file.ts';
import { onInterrupt, requireUninterrupted } from './interrupts.ts';
import { noProgress, type Progress, pagesOf, showProgress } from './long-runs.ts';
import { withTransfer } from './transfer.ts';

/** Where an export writes its lines. */
export interface ExportTarget {
  /** Resolves when more can be written. Throws CommandError when they cannot be written. */
  write(lines: string): Promise<void>;
  /** Saves the position from which an interrupted export continues. */
  savePosition(next: string, users: number, unreadable: number): Promise<void>;
}

/** How much an earlier, interrupted export has written. */
interface ExportStart {
  readonly next: string | undefined;
  readonly users: number;
  readonly unreadable?: number;
}

const fromTheBeginning: ExportStart = { next: undefined, users: 0 };

const printStatus = (text: string): void => void process.stderr.write(`${text}\n`);

/** The number of users that an export has written, and of the records that it left out. */
interface ExportResult {
  readonly users: number;
  readonly unreadable: number;
}

/**
 * Writes every user as a line, page by page. Leaves out damaged records and reports each of them. Throws the Fault of the
 * store.
 */
export const writeUsers = async (
  queries: QueryBus,
  target: ExportTarget,
  progress: Progress,
  start: ExportStart,
): Promise<ExportResult> => {
  let { users: count, unreadable: damaged = 0 } = start;
  for await (const { users, unreadable = [], next } of pagesOf(queries, start.next)) {
    for (const { record, message } of unreadable) printStatus(`warn  ${record}: is left out: ${message}`);
    damaged += unreadable.length;
    if (users.length > 0) await target.write(users.map((user) => `${lineOf(user)}\n`).join(''));
    count += users.length;
    progress.update(count, count);
    if (next !== undefined) await target.savePosition(next, count, damaged);
  }
  return { users: count, unreadable: damaged };
};

const standardOutput: ExportTarget = { write: writeOutput, savePosition: async () => undefined };

/** Writes the users until a signal ends the export after the current page; then throws CommandError. */
const writeUntilInterrupted = async (
  queries: QueryBus,
  target: ExportTarget,
  progress: Progress,
  start: ExportStart,
): Promise<ExportResult> => {
  const restoreSignals = onInterrupt();
  const interruptible: ExportTarget = {
    write: (lines) => target.write(lines),
    savePosition: async (...progress) => {
      await target.savePosition(...progress);
      requireUninterrupted('the export was interrupted');
    },
  };
  try {
    return await writeUsers(queries, interruptible, progress, start);
  } finally {
    progress.end();
    restoreSignals();
  }
};

/** Reports a finished export. Throws CommandError if it left out records, so that a script does not take it as a backup. */
const report = (target: string, { users, unreadable }: ExportResult): void => {
  printStatus(`ok    ${target}: users: ${users}`);
  if (unreadable > 0) throw new CommandError(`damaged records were left out: ${unreadable}; restore or delete them`);
};

const exportToFile = async (queries: QueryBus, path: string, resume: boolean): Promise<void> => {
  const { file, position } = resume
    ? await ExportFile.resume(path)
    : { file: await ExportFile.create(path), position: fromTheBeginning };
  let result: ExportResult;
  try {
    result = await writeUntilInterrupted(queries, file, await showProgress('exported', null), position);
    await file.finish();
  } catch (error) {
    printStatus(`latchkey: ${path} is incomplete; ${programName()} export --output ${path} --resume continues it`);
    throw error;
  } finally {
    await file.close();
  }
  report(path, result);
};

const exportToStandardOutput = async (queries: QueryBus): Promise<void> => {
  // Both would write to the same terminal.
  const progress = process.stdout.isTTY ? noProgress : await showProgress('exported', null);
  report('standard output', await writeUntilInterrupted(queries, standardOutput, progress, fromTheBeginning));
};

/** Writes every user as a line of JSON, whether the service runs or not. */
export const exportUsers = async ({ values, positionals: [config, ...others] }: Arguments): Promise<number> => {
  const { output, resume = false } = values;
  if (others.length > 0) throw new UsageError('export takes one configuration file; --output names the file to write');
  if (resume && output === undefined) throw new UsageError('--resume needs --output');
  return withTransfer(config, { readOnly: true }, async ({ queries, requireListing }) => {
    requireListing();
    const exporting = output === undefined ? exportToStandardOutput(queries) : exportToFile(queries, output, resume);
    await exporting.catch((error: unknown) => {
      throw describeFileError(error, output);
    });
  });
};
