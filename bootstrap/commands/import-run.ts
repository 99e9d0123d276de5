import { type FileHandle, open } from 'node:fs/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { AdministrationBus } from '../../application/bus.ts';
import type { ImportUserResult } from '../../application/commands/import-user.ts';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { ImportSource, Skip, SourceRecord } from './import-source.ts';
import { type Progress, retryWhileUnavailable } from './transfer.ts';

export interface ImportOptions {
  /** Whether the file holds plain passwords, which are hashed, rather than stored hashes. */
  readonly hash: boolean;
  /** Whether records are only checked. */
  readonly dryRun: boolean;
  /** The first record to import. */
  readonly from: number;
}

/** How many record numbers the summary lists for each code. */
const maxListedRecords = 10;

/** How many codes are counted by themselves. A file can have any number of names of members that are not carried over. */
const maxCodes = 100;

// Not an error: an import that is repeated finds the users of the first one.
const alreadyStored = 'user_exists';

/** Counts records by a code, in bounded memory. */
export class RecordCounts {
  private readonly counts = new Map<string, { count: number; readonly first: number[] }>();

  constructor(private readonly unit: ImportSource['unit']) {}

  /** Beyond the limit of codes, `group.name` is counted as `group`. */
  add(code: string, number: number): void {
    const isCounted = this.counts.has(code) || this.counts.size < maxCodes;
    const counted = isCounted ? code : code.replace(/\..*/, '');
    const records = this.counts.get(counted) ?? { count: 0, first: [] };
    this.counts.set(counted, records);
    records.count++;
    if (records.first.length < maxListedRecords) records.first.push(number);
  }

  get codes(): readonly string[] {
    return [...this.counts.keys()];
  }

  /** One text for each code, with the count and the first numbers. */
  lines(): readonly string[] {
    return [...this.counts].map(([code, { count, first }]) => {
      const ellipsis = count > first.length ? ', …' : '';
      return `${code}: ${count} (${this.unit}${count === 1 ? '' : 's'} ${first.join(', ')}${ellipsis})`;
    });
  }
}

/** Counts the records of an import, and writes each skipped or incomplete one to a report if one is wanted. */
export class ImportSummary {
  imported = 0;
  private readonly skipped: RecordCounts;
  private readonly leftOut: RecordCounts;

  private constructor(
    private readonly unit: ImportSource['unit'],
    private readonly report: FileHandle | undefined,
  ) {
    this.skipped = new RecordCounts(unit);
    this.leftOut = new RecordCounts(unit);
  }

  /** Creates the report as a new file that only its owner can read. Rejects with the error of the file system. */
  static async create(unit: ImportSource['unit'], reportPath: string | undefined): Promise<ImportSummary> {
    return new ImportSummary(unit, reportPath === undefined ? undefined : await open(reportPath, 'ax', 0o600));
  }

  /** Adds a user who is imported without what `leftOut` names. */
  async addImported(number: number, leftOut: readonly string[]): Promise<void> {
    this.imported++;
    for (const name of leftOut) this.leftOut.add(name, number);
    if (leftOut.length > 0) await this.write(number, { leftOut });
  }

  async addSkipped(number: number, { code, errors }: Skip): Promise<void> {
    this.skipped.add(code, number);
    await this.write(number, { code, errors });
  }

  /** Whether a record was skipped because of an error. */
  get hasErrors(): boolean {
    return this.skipped.codes.some((code) => code !== alreadyStored);
  }

  /** The summary as text: the number of imported users, then a line for each code and for what is not carried over. */
  lines(dryRun: boolean): readonly string[] {
    return [
      `ok    ${dryRun ? 'would be imported' : 'imported'}: ${this.imported}`,
      ...this.skipped.lines().map((line) => `${line.startsWith(`${alreadyStored}:`) ? 'skip' : 'FAIL'}  ${line}`),
      ...this.leftOut.lines().map((line) => `warn  not carried over: ${line}`),
    ];
  }

  async close(): Promise<void> {
    await this.report?.close();
  }

  private async write(number: number, entry: object): Promise<void> {
    await this.report?.appendFile(`${JSON.stringify({ [this.unit]: number, ...entry })}\n`);
  }
}

/** How many records are imported at once. Inserts wait for the store; hashing is bounded by the processor. */
const batchSize = { stored: 64, hashed: 8 };

/** The result for one record. */
type Outcome = Skip | 'empty' | { readonly leftOut: readonly string[] };

/** Imports the records of a file in order, in batches. */
export class ImportRun {
  private stopping = false;
  /** The last import of each address in the current batch; a later record with it waits, so that the first wins. */
  private readonly pending = new Map<EmailKey, Promise<ImportUserResult>>();
  /** The first record that is not processed yet. */
  next: number;

  constructor(
    private readonly source: ImportSource,
    private readonly imports: AdministrationBus,
    private readonly options: ImportOptions,
    private readonly summary: ImportSummary,
    private readonly progress: Progress,
  ) {
    this.next = options.from;
  }

  /** Ends the run after the current batch. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * Resolves with whether every record was processed. Throws the Fault of the store, which may have stored part of a
   * batch.
   */
  async import(records: AsyncIterable<SourceRecord>): Promise<boolean> {
    const size = this.options.hash ? batchSize.hashed : batchSize.stored;
    let batch: SourceRecord[] = [];
    for await (const record of records) {
      if (record.number < this.options.from) continue;
      batch.push(record);
      if (batch.length < size) continue;
      await this.importBatch(batch);
      if (this.stopping) return false;
      batch = [];
    }
    await this.importBatch(batch);
    return true;
  }

  private async importBatch(batch: readonly SourceRecord[]): Promise<void> {
    this.pending.clear();
    // All of them, because the store closes after a failure, and each of the others would wait for it to come back.
    const results = await Promise.allSettled(batch.map((record) => this.importRecord(record)));
    for (const [index, { number }] of batch.entries()) {
      const result = results[index];
      if (result?.status === 'rejected') throw result.reason;
      const outcome = result?.value ?? 'empty';
      if (outcome === 'empty') continue;
      if ('leftOut' in outcome) await this.summary.addImported(number, outcome.leftOut);
      else await this.summary.addSkipped(number, outcome);
    }
    const last = batch.at(-1);
    if (last === undefined) return;
    this.next = last.number + 1;
    this.progress.update(last.end, this.summary.imported);
  }

  private async importRecord({ content }: SourceRecord): Promise<Outcome> {
    if (content === undefined) return { code: `${this.source.unit}_too_long` };
    if (content.length === 0) return 'empty';
    const read = this.source.read(content);
    if (isLeft(read)) return read.left;
    const { user, leftOut } = read.right;
    const { hash, dryRun } = this.options;
    const message = { type: 'ImportUser', user, hash, dryRun } as const;
    const key = keyOf(user.email.address);
    const earlier = this.pending.get(key);
    const importing = (async () => {
      await earlier;
      return retryWhileUnavailable(() => this.imports.dispatch(message));
    })();
    this.pending.set(key, importing);
    const outcome = await importing;
    return isLeft(outcome) ? outcome.left : { leftOut };
  }
}
