import type Database from 'better-sqlite3';
import { GroupedReads } from './grouped-reads.ts';

interface CountRead {
  readonly statement: Database.Statement;
  readonly values: readonly unknown[];
}

/** What a limiter calls of a statement. It waits for the result of a read, which may be a promise. */
type LimiterStatement = Database.Statement | { get(...values: unknown[]): Promise<unknown> };

/** The connection of the limiters to their file. */
export class LimiterConnection {
  private readonly reads: GroupedReads<CountRead, unknown>;
  private readonly statements = new Map<string, LimiterStatement>();

  constructor(readonly database: Database.Database) {
    const read = ({ statement, values }: CountRead) => statement.get(...values);
    // After everything that can still be requested in this turn: both counts of every password that is about to be checked.
    this.reads = new GroupedReads(database, read, process.nextTick);
  }

  /** Prepares each statement once: that takes far longer than to run it. Reads of one turn share a transaction. */
  prepare(sql: string): LimiterStatement {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    const shared = { get: (...values: unknown[]) => this.reads.request({ statement, values }) };
    const prepared = sql.startsWith('SELECT') ? shared : statement;
    this.statements.set(sql, prepared);
    return prepared;
  }

  close(): void {
    this.reads.answer();
    this.database.close();
  }
}
