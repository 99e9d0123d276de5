import {
  type ClaimedEvent,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvents,
} from '../../../application/ports/event-outbox.ts';
import type { Log } from '../../../application/ports/log.ts';
import { maxTime } from '../../../domain/user-limits.ts';
import { type EventValues, StoredEvents } from '../stored-event.ts';
import { isRefusal } from './errors.ts';
import type { Database } from './postgresql-database.ts';
import { type Row, required, searchedLiteral, textLiteral } from './sql.ts';

/** Whether an event can be delivered: one more attempt must fit into its column. */
const isReadable = `time BETWEEN 0 AND ${maxTime} AND attempts < 2147483647`;

const selected = 'e.id, e.time, e.body, e.due';

const valuesIn = (destination: string, [id, time, body, due, attempts]: Row): EventValues => ({
  id,
  destination,
  time: Number(time),
  body,
  attempts: attempts && Number(attempts),
  due: Number(due),
  receipt: id,
});

/**
 * Stores events, which are due when they happened, unless they are stored already; one for each row of a further item of the
 * FROM clause.
 */
export const eventInsertion = (table: string, events: readonly QueuedEvent[], from = ''): string => {
  const rows = events.map(
    ({ destination, id, time, body }) =>
      `(${textLiteral(destination)}, ${textLiteral(id)}, ${time}::bigint, ${textLiteral(body)}, ${time}::bigint, 0)`,
  );
  return `INSERT INTO ${table} (destination, id, time, body, due, attempts)
    SELECT event.* FROM ${from}(VALUES ${rows.join(', ')}) event ON CONFLICT DO NOTHING`;
};

/** The events in a table of their own. */
export class PostgresqlEventOutbox extends EventOutbox {
  private readonly stored: StoredEvents;
  private readonly table: string;

  constructor(
    private readonly database: Database,
    log: Log,
  ) {
    super();
    this.table = database.tables.events;
    this.stored = new StoredEvents(log);
  }

  async add(events: readonly QueuedEvent[]): Promise<void> {
    const [first] = events;
    if (first === undefined) return;
    await this.database.call(async (run) => {
      try {
        await run(eventInsertion(this.table, events), this.storedCheck(events));
      } catch (error) {
        // If the reply is lost, one of them says whether all are stored, unless it has been delivered since.
        const look = `SELECT 1 FROM ${this.table} WHERE ${this.isEvent(first)}`;
        if (isRefusal(error) || (await run(look).catch(() => [])).length === 0) throw error;
      }
    });
  }

  /** Ids start with the time: the server reads the newest events by the primary key, also without statistics. */
  claim(
    destination: string,
    limit: number,
    { now, until, newestFirst = false }: Lease,
  ): Promise<readonly ClaimedEvent[]> {
    const { table } = this;
    const statement = (most: number): string =>
      `WITH due AS (
         SELECT id, ${isReadable} AS readable FROM ${table} WHERE destination = ${textLiteral(destination)} AND due <= ${now}
         ORDER BY ${newestFirst ? 'id DESC' : 'due'} LIMIT ${most} FOR UPDATE SKIP LOCKED
       )
       UPDATE ${table} e SET due = CASE WHEN readable THEN ${until} ELSE ${maxTime} END, attempts = attempts + readable::int
       FROM due WHERE e.destination = ${textLiteral(destination)} AND e.id = due.id
       RETURNING ${selected}, CASE WHEN readable THEN e.attempts END`;
    return this.database.call(async (run) => {
      const claimed: ClaimedEvent[] = [];
      // A damaged event is reported and never due again. It does not count, so that it delays no other.
      for (let left = limit; left > 0; ) {
        const rows = await run(statement(left));
        const events = this.stored.decode(rows.map((row) => valuesIn(destination, row)));
        claimed.push(...events.map(({ due: _, ...event }) => event));
        if (rows.length < left) break;
        left -= events.length;
      }
      return claimed.sort((one, other) => one.time - other.time);
    });
  }

  async done(event: ClaimedEvent): Promise<void> {
    await this.database.call((run) => run(`DELETE FROM ${this.table} WHERE ${this.isEvent(event)}`));
  }

  async postpone(event: ClaimedEvent, due: number): Promise<void> {
    const isClaimed = `${this.isEvent(event)} AND attempts = ${event.attempts}`;
    await this.database.call((run) => run(`UPDATE ${this.table} SET due = ${due} WHERE ${isClaimed}`));
  }

  async pending(destination: string, most: number): Promise<number> {
    const { database } = this;
    const some = () =>
      `SELECT FROM ${database.readable.events} e WHERE destination = ${textLiteral(destination)} LIMIT ${most}`;
    const [row] = await database.call((run) => run(`SELECT count(*) FROM (${some()}) counted`));
    return Number(row?.[0]);
  }

  /** Ids start with the time. */
  async list(destination: string, limit: number, after = ''): Promise<WaitingEvents> {
    const rows = await this.database.call((run) =>
      run(
        `SELECT ${selected}, e.attempts FROM ${this.table} e WHERE destination = ${textLiteral(destination)} AND id > ${searchedLiteral(after)}
         ORDER BY id LIMIT ${limit}`,
      ),
    );
    const records = rows.map((row) => valuesIn(destination, row));
    return this.stored.page(records, limit);
  }

  async destinations(): Promise<readonly string[]> {
    const rows = await this.database.call((run) => run(`SELECT DISTINCT destination FROM ${this.table}`));
    return rows.map(([destination]) => String(destination));
  }

  /** A damaged time would keep an event forever. */
  expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    const { database, table } = this;
    return database.call(async (run) => {
      if (!(await database.preparation.format.mayExpire(before))) return new Map();
      const rows = await run(
        `WITH old AS (
           SELECT destination, id FROM ${table} WHERE time < ${before} OR time > ${maxTime} LIMIT ${limit} FOR UPDATE SKIP LOCKED
         ), removed AS (
           DELETE FROM ${table} e USING old WHERE e.destination = old.destination AND e.id = old.id RETURNING e.destination
         ) SELECT destination, count(*) FROM removed GROUP BY destination`,
      );
      return new Map(rows.map(([destination, count]) => [String(destination), Number(count)]));
    });
  }

  /** Rolls the transaction back if events are missing, because a trigger left them out. */
  private storedCheck(events: readonly QueuedEvent[]): string {
    const keys = events.map(({ destination, id }) => `(${textLiteral(destination)}, ${textLiteral(id)})`);
    return `SELECT ${required(`count(*) = ${events.length}`)} FROM ${this.table} WHERE (destination, id) IN (${keys.join(', ')})`;
  }

  private isEvent({ destination, id }: Pick<QueuedEvent, 'destination' | 'id'>): string {
    return `destination = ${textLiteral(destination)} AND id = ${textLiteral(id)}`;
  }
}
