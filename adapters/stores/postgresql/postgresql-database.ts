import type { PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import { isConflict, isReadOnly, isRefusal, isTranslated, toFault } from './errors.ts';
import type { Connection } from './postgresql-connection.ts';
import type { Tables } from './postgresql-schema.ts';
import { Preparation, type PreparationOptions } from './preparation.ts';
import type { Row, Run } from './sql.ts';

const unchanged = (text: string): string => text;

/** What the driver does not convert: most values are texts, and it would make each row an object. */
const asTexts: Omit<QueryArrayConfig, 'text'> = { rowMode: 'array', types: { getTypeParser: () => unchanged } };

/** How long the reply to a statement that the server cancels may take: the connection is lost after it. */
const replyGraceMs = 250;

/** A setting that a role or a database may have and that would do harm, and the value of each transaction instead. */
const correctionOf = (name: string, harmful: string, value: string) => ({
  isHarmful: `pg_catalog.current_setting('${name}') OPERATOR(pg_catalog.=) '${harmful}'`,
  change: `pg_catalog.set_config('${name}', '${value}', true)`,
});
const corrections = [
  // The types of the catalogue would not be read.
  correctionOf('quote_all_identifiers', 'on', 'off'),
  // Functions and operators of another schema would take the place of the server's.
  {
    isHarmful: `pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.~~) '%,%pg_catalog%'`,
    change: `pg_catalog.set_config('search_path', pg_catalog.concat('pg_catalog, ', pg_catalog.current_setting('search_path')), true)`,
  },
];
const correctedIfHarmful = ({ isHarmful, change }: ReturnType<typeof correctionOf>): string =>
  `, CASE WHEN ${isHarmful} THEN ${change} END`;
/**
 * For every transaction, because a reload of the server or another connection behind a pooler changes the settings of a
 * connection: a write would be acknowledged before it is on the disk, or without the notice that no standby has confirmed it.
 */
const keepDurable = [
  correctionOf('synchronous_commit', 'off', 'on'),
  correctionOf('client_min_messages', 'error', 'warning'),
]
  .map(correctedIfHarmful)
  .join('');
/** For every transaction, because row level security may be enabled at any time: rows that it hid would look absent. */
const refuseHiddenRows = 'SET LOCAL row_security = off';
/** For the first transaction of a connection, which returns what it had to correct. */
const findCorrections = corrections.map(correctedIfHarmful).join('');

/** How long a write waits for a lock while others share its transaction. */
const lockTimeoutMs = 50;

const emptyQuery = { ...asTexts, text: '', query_timeout: replyGraceMs };

/** Whether the server answers on a connection. It answers nothing after an error that ended the connection. */
const isOpen = (client: PoolClient): Promise<boolean> =>
  client.query(emptyQuery).then(
    () => true,
    () => false,
  );

/** The result of a call, or a Fault after the timeout. */
export const withinTimeout = <Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> =>
  withTimeout(timeoutMs, work, () => new Fault('store_unavailable', `PostgreSQL: no response within ${timeoutMs} ms`));

/** The time until a deadline of `performance.now()`; throws a Fault after it. */
const remainingMs = (deadlineMs: number): number => {
  const remaining = Math.ceil(deadlineMs - performance.now());
  if (remaining <= 0) throw new Fault('store_unavailable', 'PostgreSQL: there was no connection in time');
  return remaining;
};

/** Attempts of statements that the server rolls back because of concurrent ones. */
const maxAttempts = 6;

/** Repeats statements that were rolled back because of a deadlock, or because the isolation level of the role refused them. */
const repeatingConflicts =
  (run: Run): Run =>
  async (...statements) => {
    for (let attempt = 1; ; attempt++)
      try {
        return await run(...statements);
      } catch (error) {
        if (!isConflict(error) || attempt === maxAttempts) throw error;
      }
  };

/** The database of a store: its tables, and the calls of the server, each within a timeout. */
export class Database {
  readonly preparation: Preparation;
  /** What each connection adds to the settings of its transactions, once that is known. */
  private readonly corrected = new WeakMap<PoolClient, string>();

  constructor(
    readonly tables: Tables,
    /** Timeout of a call in milliseconds, and so of what it waits for. */
    readonly timeoutMs: number,
    private readonly connection: Connection,
    options: PreparationOptions,
    /** The most milliseconds of a statement, besides the rest of the timeout of its call. */
    private readonly statementTimeoutMs: number,
  ) {
    const execute = (...statements: readonly string[]) => this.unprepared((run) => run(...statements));
    this.preparation = new Preparation(tables, options, execute);
  }

  /** The tables in reads, once a call has begun. Some are queries in a database of a former version, and need an alias. */
  get readable(): Tables {
    return this.preparation.readable;
  }

  /** Makes a call of any number of transactions within one timeout, or a shorter one. Throws its errors as Faults. */
  call<Result>(work: (run: Run) => Promise<Result>, maxMs = this.timeoutMs): Promise<Result> {
    return this.unprepared((run) => this.preparation.done().then(() => work(run)), Math.min(maxMs, this.timeoutMs));
  }

  /** The same for what prepares the tables. */
  private async unprepared<Result>(work: (run: Run) => Promise<Result>, timeoutMs = this.timeoutMs): Promise<Result> {
    const deadlineMs = performance.now() + timeoutMs;
    try {
      const run: Run = async (...statements) => (await this.execute(statements, deadlineMs)).at(-1) ?? [];
      return await withinTimeout(timeoutMs, work(repeatingConflicts(run)));
    } catch (error) {
      throw toFault(error);
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /**
   * Makes the statements of several writes in one transaction, and resolves with the rows of the last statement of each. No
   * write delays the others by more than a moment: the statements wait for locks only shortly, and have equal parts of the
   * time until the deadline, a time of `performance.now()`. Throws the errors of the driver and the server.
   */
  async transaction(writes: readonly (readonly string[])[], deadlineMs: number): Promise<readonly (readonly Row[])[]> {
    const results = await this.execute(writes.flat(), deadlineMs, writes.length);
    let end = 0;
    return writes.map(({ length }) => {
      end += length;
      return results[end - 1] ?? [];
    });
  }

  /** Executes the statements of some writes in one transaction, and resolves with the rows of each statement. */
  private async execute(
    statements: readonly string[],
    deadlineMs: number,
    writes = 1,
  ): Promise<readonly (readonly Row[])[]> {
    const client = await this.connection.acquire(deadlineMs);
    let isBroken = false;
    try {
      const timeoutMs = remainingMs(deadlineMs);
      isBroken = true;
      // Several statements in one text are one transaction, unless they begin one themselves. The settings end with it,
      // because a pooler such as PgBouncer gives the session to other clients afterwards.
      const statementTimeoutMs = Math.min(Math.ceil(timeoutMs / writes), this.statementTimeoutMs);
      const corrected = this.corrected.get(client);
      const changes = corrected ?? findCorrections;
      const lockTimeout = writes > 1 ? `, pg_catalog.set_config('lock_timeout', '${lockTimeoutMs}', true)` : '';
      const text = [
        refuseHiddenRows,
        `SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.set_config('statement_timeout', '${statementTimeoutMs}', true)${changes}${keepDurable}${lockTimeout}`,
        ...statements,
      ].join(';\n');
      const sentMs = performance.now();
      const query = { ...asTexts, text, query_timeout: timeoutMs + replyGraceMs };
      // The driver returns an array for several statements.
      const results: readonly QueryArrayResult<string[]>[] = [await client.query<string[]>(query)].flat();
      await this.connection.confirm(client, sentMs);
      isBroken = false;
      const [, settings, ...rows] = results.map((result) => result.rows);
      const [isStandby, , ...changed] = settings?.[0] ?? [];
      // A standby may return stale data. It has refused to write.
      if (isStandby === 't') throw this.connection.standbyFault();
      if (corrected === undefined) {
        const needed = corrections.filter((_, index) => changed[index] !== null);
        this.corrected.set(client, needed.map(({ change }) => `, ${change}`).join(''));
      }
      return rows;
    } catch (error) {
      const isRefused = isRefusal(error) && (!isTranslated(error) || (await isOpen(client)));
      if (isRefused) isBroken = false;
      if (!isRefused || isReadOnly(error)) this.connection.doubt();
      throw isRefused ? error : toFault(error);
    } finally {
      client.release(isBroken);
    }
  }
}
