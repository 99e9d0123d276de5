import type { Database, Row } from './database.ts';

/** The most keys that one statement looks up. */
const maxKeys = 64;
/** The most statements at a time: while they run, further keys are collected. */
const maxStatements = 4;

interface Lookup {
  readonly key: string;
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
  private isScheduled = false;

  constructor(
    private readonly database: Database,
    /** A statement that selects the rows of some keys. Each row begins with the key. */
    private readonly statementFor: (keys: readonly string[]) => string,
    /** The key as the server writes it. */
    private readonly written: (key: string) => string = (key) => key,
  ) {}

  /** The row of a key; undefined if there is none. */
  find(key: string): Promise<Row | undefined> {
    return new Promise((found, failed) => {
      this.waiting.push({ key, found, failed });
      if (this.isScheduled) return;
      this.isScheduled = true;
      setImmediate(() => {
        this.isScheduled = false;
        this.start();
      });
    });
  }

  private start(): void {
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
