import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { ImportFormat } from '../../adapters/import-formats/import-format.ts';
import { importFormats } from '../../adapters/import-formats/index.ts';
import { UnreadableExport } from '../../adapters/import-formats/json-records.ts';
import { algorithmOf, unusableHash } from '../../adapters/import-formats/stored-hashes.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { CommandError } from './command-errors.ts';
import { type Arguments, exitStatus, UsageError } from './command-line.ts';
import { requireWholeExport } from './export-file.ts';
import { type ImportOptions, ImportRun } from './import-run.ts';
import { foreignUsers, type ImportSource, userLines } from './import-source.ts';
import { ImportSummary, RecordCounts } from './import-summary.ts';
import { onInterrupt } from './interrupts.ts';
import { showProgress } from './long-runs.ts';
import { type Transfer, withTransfer } from './transfer.ts';

const sizeOf = async (path: string): Promise<number> => {
  const found = await stat(path);
  if (!found.isFile()) throw new CommandError(`${path}: is not a regular file`);
  return found.size;
};

/**
 * Imports the records of a file; resolves with whether all of them were processed. Throws CommandError if the first one is
 * beyond the end.
 */
const importRecords = async (
  path: string,
  source: ImportSource,
  { commands }: Transfer,
  options: ImportOptions,
  summary: ImportSummary,
): Promise<boolean> => {
  const progress = await showProgress(options.dryRun ? 'checked' : 'imported', await sizeOf(path));
  const run = new ImportRun(source, commands, options, summary, progress);
  const restoreSignals = onInterrupt(() => run.stop());
  let isComplete = false;
  try {
    isComplete = await run.importAll(source.split(createReadStream(path)));
    // Not for the one after the last, which an import names that is interrupted at its end.
    if (isComplete && options.from > run.last + 1)
      throw new CommandError(
        `${path}: --from-line ${options.from} is beyond the end; number of ${source.unit}s: ${run.last}`,
      );
    return isComplete;
  } finally {
    progress.end();
    restoreSignals();
    if (!isComplete) process.stderr.write(`latchkey: the import is incomplete; --from-line ${run.next} continues it\n`);
  }
};

/** Imports a file and prints the summary; resolves with whether every record is stored. */
const importFile = async (
  path: string,
  source: ImportSource,
  transfer: Transfer,
  options: ImportOptions,
  reportPath: string | undefined,
): Promise<boolean> => {
  const summary = await ImportSummary.create(source.unit, reportPath);
  try {
    const isComplete = await importRecords(path, source, transfer, options, summary);
    return isComplete && !summary.hasErrors;
  } finally {
    for (const line of summary.lines(options.dryRun)) process.stdout.write(`${line}\n`);
    await summary.close();
  }
};

interface ForeignOptions extends ImportOptions {
  /** Whether the file is imported although none of its users has a password. */
  readonly withoutPasswords: boolean;
}

const forgeable = 'a name in this form of the export can forge a user; import the JSON form instead';

const noPasswords =
  'no user has a password: is it the export of another system, or one without hashes? --without-passwords imports it';

/**
 * Reads an export once before the import. Throws a ConfigurationError if the service could verify more of its hashes
 * with another configuration, and a CommandError if it has none at all.
 */
const checkHashes = async (
  path: string,
  format: ImportFormat,
  transfer: Transfer,
  { from, withoutPasswords }: ForeignOptions,
): Promise<void> => {
  const { hash, configuration, file } = transfer;
  const { algorithm, accept } = configuration.passwordHash;
  const report = (field: string, message: string) =>
    new ConfigurationError(file, [{ path: `passwordHash.${field}`, message }]);
  if (algorithm === 'simple' && !format.mayHoldPasswords)
    throw report('algorithm', 'simple stores passwords; an import of hashes needs another one');
  const missing = new RecordCounts('record');
  let users = 0;
  let passwords = 0;
  let canBeForged = false;
  for await (const { number, content, isForgeable } of format.records(createReadStream(path))) {
    canBeForged ||= isForgeable === true;
    const record = content === undefined ? undefined : format.read(content, systemClock.now());
    if (record === undefined || isLeft(record)) continue;
    users++;
    const stored = record.right.password;
    if (stored === undefined) continue;
    passwords++;
    if (number < from || hash.inspect(stored) !== 'foreign') continue;
    const name = algorithmOf(stored);
    if (name !== undefined && name !== algorithm && !accept.includes(name)) missing.add(name, number);
  }
  const [first] = missing.lines();
  if (first !== undefined) throw report('accept', `lacks algorithms of this file: ${missing.lines().join('; ')}`);
  // A second import cannot add the passwords, because it does not change users who exist.
  if (users > 0 && passwords === 0 && !withoutPasswords) throw new CommandError(`${path}: ${noPasswords}`);
  if (canBeForged) process.stderr.write(`warn  ${path}: ${forgeable}\n`);
};

/** How to read the file. Throws a ConfigurationError if the configuration lacks something for the hashes in it. */
const sourceOf = async (
  path: string,
  system: string | undefined,
  transfer: Transfer,
  options: ForeignOptions,
): Promise<ImportSource> => {
  const format = system === undefined ? undefined : importFormats[system];
  if (format === undefined) return userLines;
  await checkHashes(path, format, transfer, options);
  const { hash, configuration } = transfer;
  const example = await hash.hash(randomUUID());
  const isKnown = hash.inspect(unusableHash(example) ?? '') === hash.inspect(example);
  return foreignUsers(format, () => (isKnown ? unusableHash(example) : undefined), configuration.users.ids);
};

/**
 * Stores the users of a file, whether the service runs or not: JSON lines of an export, or with `--from` the export of
 * another system. The exit status is 0 if every user was imported, by this run or an earlier one.
 */
export const importUsers = async ({ values, positionals: [path, config, ...others] }: Arguments): Promise<number> => {
  if (path === undefined || others.length > 0)
    throw new UsageError('import takes the file of users and the configuration');
  const fromLine = values['from-line'] ?? '1';
  if (!/^[1-9]\d{0,14}$/.test(fromLine)) throw new UsageError('--from-line takes the number of a line');
  const { from: system } = values;
  if (system !== undefined && !Object.hasOwn(importFormats, system))
    throw new UsageError(`--from takes one of ${Object.keys(importFormats).join(', ')}`);
  const options = {
    hash: values['hash-passwords'] ?? false,
    dryRun: values['dry-run'] ?? false,
    from: Number(fromLine),
    withoutPasswords: values['without-passwords'] ?? false,
  };
  if (system !== undefined && options.hash)
    throw new UsageError('--hash-passwords is for lines with passwords; exports of other systems have hashes');
  if (system === undefined && options.withoutPasswords)
    throw new UsageError('--without-passwords is for exports of other systems, which --from names');
  const requires = async (): Promise<void> => {
    await sizeOf(path);
    requireWholeExport(path);
  };
  const ofTransfer = { readOnly: options.dryRun, hashesPasswords: options.hash, createsDatabase: true, requires };
  return withTransfer(config, ofTransfer, async (transfer) => {
    try {
      const source = await sourceOf(path, system, transfer, options);
      const isStored = await importFile(path, source, transfer, options, values.report);
      return isStored ? exitStatus.done : exitStatus.failed;
    } catch (error) {
      throw error instanceof UnreadableExport ? new CommandError(error.message) : error;
    }
  });
};
