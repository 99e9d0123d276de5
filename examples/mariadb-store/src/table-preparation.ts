import { Fault, MissingDatabase } from 'latchkey/ports';
import type { Session } from './database.ts';
import { isStatementTimeout } from './errors.ts';
import { addition, columns, columnsWithout, creation, missingColumns, type Tables } from './tables.ts';

/** While a change waits for a table in use, such as by a dump, all reads that come after it wait, too. */
const changeTimeoutMs = 200;
const changeIntervalMs = 1_000;

/** Creates what the database lacks, before the first call. */
export class TablePreparation {
  /** The columns that a read selects. */
  selection = columns;
  /** What a service would do with a table that this store only reads. */
  plan = '';
  private inUse: { readonly fault: Fault; readonly until: number } | undefined;

  constructor(
    readonly tables: Tables,
    /** Whether to create missing tables, and missing columns. */
    private readonly createTables: boolean,
    /** Whether to change nothing, and read a table of a former version as it is. */
    private readonly readOnly: boolean,
  ) {}

  /** Prepares the tables. It looks at the catalogue first, because changes lock a table. */
  async prepare({ query }: Session): Promise<void> {
    if (!this.createTables && !this.readOnly) return;
    const names = Object.values(this.tables).map((name) => name.slice(1, -1));
    const { rows } = await query(
      `SELECT table_name AS name, column_name AS field FROM information_schema.columns
       WHERE table_schema = DATABASE() AND table_name IN (?)`,
      [names],
    );
    const found = rows.filter(({ name }) => name === names[0]).map(({ field }) => field);
    const missing = missingColumns(found);
    if (this.readOnly) {
      if (found.length === 0 && this.createTables) throw new MissingDatabase(`table ${this.tables.users}`, true);
      this.selection = columnsWithout(missing);
      if (missing.length > 0) this.plan = `; the service adds ${missing.join(', ')}`;
      return;
    }
    if (new Set(rows.map(({ name }) => name)).size < names.length)
      for (const statement of creation(this.tables)) await query(statement);
    if (found.length > 0 && missing.length > 0) await this.addColumns(query);
  }

  /** Calls do not repeat a change at once that found the table in use, because each attempt delays reads. */
  private async addColumns(query: Session['query']): Promise<void> {
    if (this.inUse !== undefined && performance.now() < this.inUse.until) throw this.inUse.fault;
    try {
      await query(addition(this.tables), [], changeTimeoutMs);
    } catch (cause) {
      if (!isStatementTimeout(cause)) throw cause;
      const fault = new Fault('store_unavailable', 'MariaDB: a table is in use, so that it cannot be changed', {
        cause,
      });
      this.inUse = { fault, until: performance.now() + changeIntervalMs };
      throw fault;
    }
  }
}
