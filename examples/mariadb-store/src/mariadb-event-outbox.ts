import {
  type ClaimedEvent,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvent,
  type WaitingEvents,
} from 'latchkey/ports';
import type { Database, Query, Row } from './database.ts';
import type { Tables } from './tables.ts';

/** Stores events in the transaction of a write; one that is stored already stays as it is. */
export const addEvents = async (
  query: Query,
  { events: table }: Tables,
  events: readonly QueuedEvent[],
): Promise<void> => {
  if (events.length === 0) return;
  const rows = events.map(({ destination, id, time, body }) => [destination, id, time, body, time]);
  await query(
    `INSERT INTO ${table} (destination, id, time, body, due) VALUES ? ON DUPLICATE KEY UPDATE id = VALUES(id)`,
    [rows],
  );
};

const selected = 'id, destination, time, body, attempts, due';

const eventIn = (row: Row): WaitingEvent => ({
  id: String(row.id),
  destination: String(row.destination),
  time: Number(row.time),
  body: String(row.body),
  attempts: Number(row.attempts),
  due: Number(row.due),
  receipt: String(row.id),
});

/** Keeps events in a table until they are delivered. */
export class MariadbEventOutbox extends EventOutbox {
  private readonly table: string;

  constructor(
    private readonly database: Database,
    private readonly tables: Tables,
  ) {
    super();
    this.table = tables.events;
  }

  async add(events: readonly QueuedEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.database.call(({ transaction }) => transaction((query) => addEvents(query, this.tables, events)));
  }

  /** Skips the events that another process is claiming. Looks without a lock first, because mostly none is due. */
  claim(
    destination: string,
    limit: number,
    { now, until, newestFirst = false }: Lease,
  ): Promise<readonly ClaimedEvent[]> {
    const due = `FROM ${this.table} WHERE destination = ? AND due <= ?`;
    const order = newestFirst ? 'time DESC' : 'due';
    return this.database.call(async (session) => {
      const { count } = await session.query(`SELECT 1 ${due} LIMIT 1`, [destination, now]);
      if (count === 0) return [];
      return session.transaction(async (query) => {
        const free = `SELECT ${selected} ${due} ORDER BY ${order} LIMIT ? FOR UPDATE SKIP LOCKED`;
        const { rows } = await query(free, [destination, now, limit]);
        if (rows.length === 0) return [];
        const claimed = rows.map(eventIn).map((event) => ({ ...event, attempts: event.attempts + 1, due: until }));
        const lease = `UPDATE ${this.table} SET due = ?, attempts = attempts + 1 WHERE destination = ? AND id IN (?)`;
        await query(lease, [until, destination, claimed.map(({ id }) => id)]);
        return claimed.sort((one, other) => one.time - other.time);
      });
    });
  }

  async done({ destination, receipt }: ClaimedEvent): Promise<void> {
    await this.database.write(`DELETE FROM ${this.table} WHERE destination = ? AND id = ?`, [destination, receipt]);
  }

  async postpone({ destination, receipt, attempts }: ClaimedEvent, due: number): Promise<void> {
    const sql = `UPDATE ${this.table} SET due = ? WHERE destination = ? AND id = ? AND attempts = ?`;
    await this.database.write(sql, [due, destination, receipt, attempts]);
  }

  async pending(destination: string, most: number): Promise<number> {
    const sql = `SELECT COUNT(*) AS count FROM (SELECT 1 FROM ${this.table} WHERE destination = ? LIMIT ?) found`;
    return Number((await this.database.read(sql, [destination, most])).rows[0]?.count);
  }

  /** In the order of their ids, which begin with the time. */
  async list(destination: string, limit: number, after = ''): Promise<WaitingEvents> {
    const sql = `SELECT ${selected} FROM ${this.table} WHERE destination = ? AND id > ? ORDER BY id LIMIT ?`;
    const { rows } = await this.database.read(sql, [destination, after, limit]);
    const events = rows.map(eventIn);
    return { events, next: events.length < limit ? undefined : events.at(-1)?.id };
  }

  async destinations(): Promise<readonly string[]> {
    const { rows } = await this.database.read(`SELECT DISTINCT destination FROM ${this.table}`, []);
    return rows.map(({ destination }) => String(destination));
  }

  async expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    const sql = `DELETE FROM ${this.table} WHERE time < ? ORDER BY time LIMIT ? RETURNING destination`;
    const counts = new Map<string, number>();
    for (const { destination } of (await this.database.write(sql, [before, limit])).rows)
      counts.set(String(destination), (counts.get(String(destination)) ?? 0) + 1);
    return counts;
  }
}
