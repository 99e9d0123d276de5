import { Fault } from 'latchkey/ports';
import type { Pool, QueryResult, QueryResultRow } from 'pg';
import { isRefusal } from './errors.ts';

/** Executes a statement. */
export type Query = <Row extends QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<QueryResult<Row>>;

/** The time until a deadline of `performance.now()`; throws a Fault after it. */
const remainingMs = (deadline: number): number => {
  const remaining = Math.ceil(deadline - performance.now());
  if (remaining <= 0) throw new Fault('store_unavailable', 'PostgreSQL: there was no connection in time');
  return remaining;
};

/**
 * Begins a transaction. Its settings end with it, because a pooler such as PgBouncer gives the session to other clients
 * afterwards. If the service stops in its middle, the server ends it, and with it the locks of its rows.
 */
const beginning = (timeoutMs: number, readOnly: boolean): string => `
  BEGIN${readOnly ? ' READ ONLY' : ''};
  SELECT pg_is_in_recovery() AS standby,
    set_config('statement_timeout', '${timeoutMs}', true),
    set_config('idle_in_transaction_session_timeout', '${timeoutMs}', true),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`;

/** Runs transactions. */
export class Transactions {
  constructor(
    private readonly pool: Pool,
    private readonly readOnly: boolean,
  ) {}

  /**
   * Runs the statements of `work` in one transaction: a round trip for each, and two more. The deadline includes waiting
   * for a connection. After it nothing is committed, so that a write whose caller got an error is not applied later.
   */
  async run<Result>(deadline: number, work: (query: Query) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    const query: Query = async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      const statement = { text, values: [...values], query_timeout: remainingMs(deadline) };
      return client.query<Row>(statement);
    };
    let hasBegun = false;
    try {
      const start = beginning(remainingMs(deadline), this.readOnly);
      hasBegun = true;
      // The driver returns an array for several statements.
      const begun = [await query<{ standby?: boolean }>(start)].flat();
      if (begun.some(({ rows }) => rows[0]?.standby))
        throw new Fault('store_unavailable', 'PostgreSQL: the server is a standby, which may return stale data');
      const result = await work(query);
      await query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Where a rollback is not certain, the transaction ends with its connection.
      if (!hasBegun) client.release();
      else if (isRefusal(error))
        query('ROLLBACK').then(
          () => client.release(),
          () => client.release(true),
        );
      else client.release(true);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }
}
