import { Fault } from '../../../application/fault.ts';
import { Batches } from '../../concurrency/call-batches.ts';
import { isConflict, isDamage, isRefusal } from './errors.ts';
import { type Database, withinTimeout } from './postgresql-database.ts';
import type { Row } from './sql.ts';

/** The most statements of one kind at a time: while they run, further items are collected. */
const maxStatements = 4;
/** The most keys that one statement looks up. */
const maxKeys = 64;
/** The most writes that one transaction makes. */
const maxWrites = 16;

/**
 * Looks up rows by unique keys. Those that are requested at the same time share a statement: it takes a fifth of the
 * processor time, and each row is as recent as its request.
 */
export class Lookups {
  private readonly batches: Batches<string, Row | undefined>;

  constructor(
    private readonly database: Database,
    /** A statement that selects the rows of some keys. Each row begins with the key. */
    statementFor: (keys: readonly string[]) => string,
    /** Reads a key as the server writes it. */
    readKey: (written: string) => string | undefined = (written) => written,
  ) {
    // Until the last deadline, because each look-up ends at its own: one that has waited for long shortens no other.
    const rowsOf = (keys: readonly string[]) => database.call((run) => run(statementFor(keys)));
    const rowOf = (key: string) =>
      rowsOf([key]).then(
        ([row]) => row,
        (error: unknown) => {
          throw isDamage(error) ? new Fault(error.code, error.message, { cause: error.cause, record: key }) : error;
        },
      );
    this.batches = new Batches({ maxItems: maxKeys, maxRunning: maxStatements }, async (keys) => {
      const distinct = [...new Set(keys)];
      try {
        const rows = await rowsOf(distinct);
        const byKey = new Map(rows.map((row) => [readKey(String(row[0])), row]));
        return keys.map((key) => byKey.get(key));
      } catch (error) {
        if (!isDamage(error)) throw error;
        const alone = new Map(distinct.map((key) => [key, rowOf(key)]));
        return keys.map((key) => alone.get(key));
      }
    });
  }

  /** The row of a key; undefined if there is none. The timeout of a call includes waiting for other statements. */
  find(key: string): Promise<Row | undefined> {
    const { timeoutMs } = this.database;
    return withinTimeout(timeoutMs, this.batches.add(key, performance.now() + timeoutMs));
  }
}

/** A write that can share a transaction. */
interface Write {
  /** The user that it locks. */
  readonly key: string;
  readonly statements: readonly string[];
}

/**
 * Makes writes that are requested at the same time in one transaction: one round trip and one flush to the disk instead of
 * one for each. The order of their keys is the same everywhere, so that two transactions do not wait for each other.
 */
export class Writes {
  private readonly batches: Batches<Write, readonly Row[] | undefined>;

  constructor(database: Database) {
    this.batches = new Batches({ maxItems: maxWrites, maxRunning: maxStatements }, async (writes, deadlineMs) => {
      const sorted = writes.toSorted((one, other) => (one.key < other.key ? -1 : 1));
      try {
        const statements = sorted.map((write) => write.statements);
        const results = await database.transaction(statements, deadlineMs);
        return writes.map((write) => results[sorted.indexOf(write)]);
      } catch (error) {
        if (!isRefusal(error) || (writes.length === 1 && !isConflict(error))) throw error;
        return writes.map(() => undefined);
      }
    });
  }

  /**
   * The rows of a write; undefined if the server rolled its transaction back because of another write: it was not made, and
   * is to be made alone. Rejects with the error of the server or the driver.
   */
  make(write: Write, deadlineMs: number): Promise<readonly Row[] | undefined> {
    return this.batches.add(write, deadlineMs);
  }
}
