import { setTimeout as delay } from 'node:timers/promises';
import { Fault, withTimeout } from 'latchkey/ports';
import type { Pool } from 'mysql2/promise';
import { isConflict, isRefusal, toFault } from './errors.ts';

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows that a statement returned, and how many it returned or changed. */
export interface Result {
  readonly rows: readonly Row[];
  readonly count: number;
}

/** Executes a statement, given a value for each `?`. An array stands for a list. It takes at most `mostMs` milliseconds. */
export type Query = (sql: string, values?: readonly unknown[], mostMs?: number) => Promise<Result>;

/** Executes statements before the deadline of a call. */
export interface Session {
  /** Executes one statement, which is a transaction by itself, in one round trip. */
  readonly query: Query;
  /**
   * Runs the statements of `work` in one transaction: a round trip for each, and one more. Repeats it if another
   * transaction was in the way.
   */
  transaction<Outcome>(work: (query: Query) => Promise<Outcome>): Promise<Outcome>;
}

const rollbackTimeoutMs = 1_000;

/** The time until a deadline of `performance.now()`; throws a Fault after it. */
const remainingMs = (deadline: number): number => {
  const remaining = Math.ceil(deadline - performance.now());
  if (remaining <= 0) throw new Fault('store_unavailable', 'MariaDB: the call did not end in time');
  return remaining;
};

/**
 * Prepares a connection, whatever the server's defaults and its former uses are. Without a strict mode, the server would
 * cut texts that are too long. It ends a transaction that stays idle because the service has stopped, and with it the locks.
 */
const preparation = (timeoutMs: number): string => `
  SET SESSION sql_mode = 'STRICT_ALL_TABLES', autocommit = 1, time_zone = '+00:00',
    idle_transaction_timeout = ${Math.ceil(timeoutMs / 1_000)};
  SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
  SELECT @@global.read_only IN ('0', 'OFF') AS isWritable, @@global.innodb_flush_log_at_trx_commit AS flush;`;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

const resultOf = (result: unknown): Result => {
  if (Array.isArray(result)) return { rows: result.filter(isRow), count: result.length };
  return { rows: [], count: isRow(result) ? Number(result.affectedRows) : 0 };
};

/** Throws a Fault if the server may return stale data or lose writes. */
const checkServer = ({ rows: [state = {}] }: Result, isTransaction: boolean): void => {
  if (state.isWritable !== 1)
    throw new Fault(
      'store_unavailable',
      'MariaDB: the server is read-only, as a standby is, which may return stale data',
    );
  if (isTransaction && state.flush !== 1)
    throw new Fault('store_rejected', 'MariaDB: the server loses writes unless innodb_flush_log_at_trx_commit is 1');
};

/** Makes calls of the server, each within a timeout. */
export class Database {
  private prepared: Promise<void> | undefined;
  private closed: Promise<void> | undefined;

  constructor(
    private readonly pool: Pool,
    /** Timeout of a call in milliseconds, and so of what it waits for. */
    readonly timeoutMs: number,
    /** Whether nothing is changed. */
    readonly readOnly: boolean,
    /** Creates what the database lacks, before the first call. */
    private readonly prepareTables: (session: Session) => Promise<void>,
  ) {}

  /** Prepares the tables once; tries again with the next call after a failure. */
  prepare(): Promise<void> {
    this.prepared ??= this.prepareTables(this.sessionBefore(performance.now() + this.timeoutMs)).catch((error) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  /** Makes a call of any number of statements. Throws a Fault. */
  async call<Outcome>(work: (session: Session) => Promise<Outcome>, timeoutMs = this.timeoutMs): Promise<Outcome> {
    const session = this.sessionBefore(performance.now() + timeoutMs);
    const onTimeout = () => new Fault('store_unavailable', `MariaDB: no response within ${timeoutMs} ms`);
    try {
      return await withTimeout(
        timeoutMs,
        this.prepare().then(() => work(session)),
        onTimeout,
      );
    } catch (error) {
      throw toFault(error);
    }
  }

  /** A call of one statement that reads. */
  read(sql: string, values?: readonly unknown[]): Promise<Result> {
    return this.call(({ query }) => query(sql, values));
  }

  /** A call of one statement that writes. */
  write(sql: string, values?: readonly unknown[]): Promise<Result> {
    return this.call(({ transaction }) => transaction((query) => query(sql, values)));
  }

  close(): Promise<void> {
    this.closed ??= this.pool.end();
    return this.closed;
  }

  private sessionBefore(deadline: number): Session {
    return {
      query: (...statement) => this.connected(deadline, false, (query) => query(...statement)),
      transaction: async (work) => {
        for (;;) {
          try {
            return await this.connected(deadline, true, work);
          } catch (error) {
            if (!isConflict(error)) throw error;
            await delay(Math.random() * Math.min(20, remainingMs(deadline)));
          }
        }
      },
    };
  }

  /**
   * Runs statements on a connection. After the deadline nothing is committed, so that a write whose caller got an error is
   * not applied later; the server interrupts a statement that takes longer.
   */
  private async connected<Outcome>(
    deadline: number,
    isTransaction: boolean,
    work: (query: Query) => Promise<Outcome>,
  ): Promise<Outcome> {
    const connection = await this.pool.getConnection();
    const execute = async (sql: string, values: readonly unknown[], timeout: number): Promise<unknown> => {
      const [result] = await connection.query({ sql, values: [...values], timeout });
      return result;
    };
    const start = isTransaction ? `START TRANSACTION ${this.readOnly ? 'READ ONLY' : 'READ WRITE'};` : '';
    let hasBegun = false;
    const query: Query = async (sql, values = [], mostMs = Number.POSITIVE_INFINITY) => {
      const timeoutMs = remainingMs(deadline);
      const limited = `SET STATEMENT max_statement_time = ${Math.min(timeoutMs, mostMs) / 1_000} FOR ${sql}`;
      if (hasBegun) return resultOf(await execute(limited, values, timeoutMs));
      hasBegun = true;
      const results = await execute(`${preparation(timeoutMs)} ${start} ${limited}`, values, timeoutMs);
      const [, , state, ...others] = Array.isArray(results) ? results : [];
      checkServer(resultOf(state), isTransaction);
      return resultOf(others.at(-1));
    };
    try {
      const outcome = await work(query);
      if (isTransaction) await execute('COMMIT', [], remainingMs(deadline));
      connection.release();
      return outcome;
    } catch (error) {
      // Where a rollback is not certain, the transaction ends with its connection.
      if (!hasBegun) connection.release();
      else if (error instanceof Fault || isRefusal(error))
        execute('ROLLBACK', [], rollbackTimeoutMs).then(
          () => connection.release(),
          () => connection.destroy(),
        );
      else connection.destroy();
      throw error;
    }
  }
}
