import { isLeft } from 'fp-ts/lib/Either.js';
import { administrator } from '../../application/administration/administrator.ts';
import type { ImportUserResult } from '../../application/administration/import-user.ts';
import type { CommandBus } from '../../application/bus.ts';
import { isOfRecord } from '../../application/fault.ts';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { ImportSource, SourceRecord } from './import-source.ts';
import type { ImportSummary, RecordResult } from './import-summary.ts';
import { type Progress, retryWhileUnavailable } from './long-runs.ts';

export interface ImportOptions {
  /** Whether the file holds plain passwords, which are hashed, rather than stored hashes. */
  readonly hash: boolean;
  /** Whether records are only checked. */
  readonly dryRun: boolean;
  /** The first record to import. */
  readonly from: number;
}

/** How many records are imported at once. Inserts wait for the store; hashing is bounded by the processor. */
const batchSize = { stored: 64, hashed: 8 };

/** Imports the records of a file in order, in batches. */
export class ImportRun {
  private stopping = false;
  /** The last import of each address in the current batch; a later record with it waits, so that the first wins. */
  private readonly pending = new Map<EmailKey, Promise<ImportUserResult>>();
  /** The first record that is not processed yet. */
  next: number;
  /** The number of the last record that was read, whether it is imported or left out. */
  last = 0;

  constructor(
    private readonly source: ImportSource,
    private readonly commands: CommandBus,
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
  async importAll(records: AsyncIterable<SourceRecord>): Promise<boolean> {
    const size = this.options.hash ? batchSize.hashed : batchSize.stored;
    let batch: SourceRecord[] = [];
    for await (const record of records) {
      this.last = record.number;
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
      if (result?.status === 'fulfilled' && result.value !== undefined) await this.summary.add(number, result.value);
    }
    // Only then, because a repeated import finds those that were stored, and says nothing else about them.
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const last = batch.at(-1);
    if (last === undefined) return;
    this.next = last.number + 1;
    this.progress.update(last.end, this.summary.imported);
  }

  /** Resolves with undefined for an empty line. */
  private async importRecord({ content, problem }: SourceRecord): Promise<RecordResult | undefined> {
    if (content === undefined) return problem ?? { code: `${this.source.unit}_too_long` };
    if (content.length === 0) return undefined;
    const read = this.source.read(content);
    if (isLeft(read)) return read.left;
    const { user, isPlain = this.options.hash, leftOut } = read.right;
    const message = {
      type: 'ImportUser',
      by: administrator,
      user,
      hash: isPlain,
      dryRun: this.options.dryRun,
    } as const;
    const { address } = user.email;
    const key = keyOf(address);
    const earlier = this.pending.get(key);
    const importing = (async () => {
      await earlier;
      return retryWhileUnavailable(() => this.commands.dispatch(message));
    })();
    this.pending.set(key, importing);
    try {
      const outcome = await importing;
      return isLeft(outcome) ? { ...outcome.left, address } : { address, leftOut };
    } catch (error) {
      // A damaged record of the database keeps only this one from being imported.
      if (!isOfRecord(error)) throw error;
      const errors = [{ path: 'email', message: `the record ${error.record} is damaged (${error.message})` }];
      return { code: 'damaged_record', address, errors };
    }
  }
}
