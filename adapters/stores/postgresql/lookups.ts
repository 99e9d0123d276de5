import { type Database, withinTimeout } from './database.ts';
import type { Row } from './sql.ts';

/** The most keys that one statement looks up. */
const maxKeys = 64;
/** The most statements at a time: while they run, further keys are collected. */
const maxStatements = 4;

interface Lookup {
  readonly key: string;
  readonly deadlineMs: number;
  readonly found: (row: Row | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Looks up rows by unique keys. Those that are requested in the same turn of the event loop, or while enough statements run,
 * share a statement: it takes a fifth of the processor time, and each row is as recent as its request.
 */
export class Lookups {
  private waiting: Lookup[] = [];
  private running = 0;

  constructor(
    private readonly database: Database,
    /** A statement that selects the rows of some keys. Each row begins with the key. */
    private readonly statementFor: (keys: readonly string[]) => string,
    /** The key as the server writes it. */
    private readonly written: (key: string) => string = (key) => key,
  ) {}

  /** The row of a key; undefined if there is none. The timeout of a call includes waiting for other statements. */
  find(key: string): Promise<Row | undefined> {
    const { timeoutMs } = this.database;
    return withinTimeout(timeoutMs, this.collect(key, performance.now() + timeoutMs));
  }

  private collect(key: string, deadlineMs: number): Promise<Row | undefined> {
    return new Promise((found, failed) => {
      // Those that wait already are started by the end of a statement, or by the first one of this turn.
      if (this.waiting.push({ key, deadlineMs, found, failed }) === 1) setImmediate(() => this.start());
    });
  }

  private start(): void {
    const now = performance.now();
    // Those whose callers have given up are the first ones.
    while (this.waiting[0] !== undefined && this.waiting[0].deadlineMs <= now) this.waiting.shift();
    while (this.waiting.length > 0 && this.running < maxStatements) {
      const lookups = this.waiting.splice(0, maxKeys);
      this.running++;
      this.look(lookups).finally(() => {
        this.running--;
        this.start();
      });
    }
  }

  private async look(lookups: readonly Lookup[]): Promise<void> {
    try {
      const keys = [...new Set(lookups.map(({ key }) => key))];
      const rows = await this.database.call((run) => run(this.statementFor(keys)));
      const byKey = new Map(rows.map((row) => [row[0], row]));
      for (const { key, found } of lookups) found(byKey.get(this.written(key)));
    } catch (error) {
      for (const { failed } of lookups) failed(error);
    }
  }
}
