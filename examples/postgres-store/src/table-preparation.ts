import { type Log, MissingDatabase } from 'latchkey/ports';
import { isLocked, toFault } from './errors.ts';
import { collation, columns, columnsWithout, creation, type FoundColumn, inspection, missingColumns } from './table.ts';
import type { Transactions } from './transactions.ts';

const changeIntervalMs = 1_000;

export interface Settings {
  /** The quoted name of the table. */
  readonly table: string;
  /** Whether to create missing tables, and missing columns. */
  readonly createTable: boolean;
  /** Whether to change nothing, and read a table of a former version as it is. */
  readonly readOnly: boolean;
  /** Timeout of a call. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Creates what the database lacks, before the first call. */
export class TablePreparation {
  /** The columns that a read selects. */
  selection = columns;
  /** What a service would do with a table that this store only reads. */
  plan = '';
  private prepared: Promise<void> | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly settings: Settings,
  ) {}

  /** Prepares the table once; tries again after a failure. */
  done(): Promise<void> {
    this.prepared ??= this.prepare().catch((error: unknown) => {
      const retry = () => {
        this.prepared = undefined;
      };
      // Each attempt delays the reads of other clients, so calls do not repeat it at once.
      if (isLocked(error)) setTimeout(retry, changeIntervalMs).unref();
      else retry();
      throw error;
    });
    return this.prepared;
  }

  /** Creates what is missing, if `createTable` is set. It changes nothing otherwise, because changes lock the table. */
  private async prepare(): Promise<void> {
    const { table, createTable, readOnly, timeoutMs, log } = this.settings;
    if (!createTable && !readOnly) return;
    const deadline = performance.now() + timeoutMs;
    const execute = (text: string, values?: readonly unknown[]) =>
      this.transactions.run(deadline, (query) => query<FoundColumn>(text, values));
    const { rows } = await execute(inspection, [table]);
    const missing = missingColumns(rows);
    if (readOnly) {
      if (rows.length === 0 && createTable) throw new MissingDatabase(`table ${table}`, true);
      this.selection = columnsWithout(missing);
      if (missing.length > 0) this.plan = `; the service adds ${missing.join(', ')}`;
      return;
    }
    if (missing.length > 0) await execute(creation(table));
    if (!rows.some(({ name, collation }) => name === 'key' && collation !== 'C')) return;
    const advice = `the key of ${table} has the collation of the operating system; ALTER it to COLLATE "C"`;
    await execute(collation(table)).catch((error: unknown) => log.warn({ reason: toFault(error).message }, advice));
  }
}
