import { createHash } from 'node:crypto';
import { type Attempt, AttemptCounter, type AttemptLimits, type AttemptStatus } from 'latchkey/ports';
import type { Database } from './database.ts';
import { now, type Tables } from './tables.ts';

const cleanupIntervalMs = 30_000;
const rowsPerCleanup = 1_000;

/** A failure is counted for a user or a client address, which the table does not show. */
const digestOf = (kind: 'user' | 'client', text: string): string =>
  createHash('sha256').update(`${kind} ${text}`).digest('base64url');

interface Counted extends Pick<AttemptLimits, 'windowMs' | 'blockMs'> {
  readonly digest: string;
  readonly limit: number;
}

/** Counts wrong passwords in a table, by the clock of the server: a row is the count of a window or a block until it ends. */
export class MariadbAttemptCounter extends AttemptCounter {
  private readonly table: string;
  private readonly cleanup: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    { attempts }: Tables,
    private readonly limits: AttemptLimits,
  ) {
    super();
    this.table = attempts;
    if (!database.readOnly)
      this.cleanup = setInterval(() => this.removeEnded().catch(() => undefined), cleanupIntervalMs).unref();
  }

  async status(attempt: Attempt): Promise<AttemptStatus> {
    const counted = this.countedFor(attempt);
    const sql = `SELECT digest, failures, ends - ${now} AS remainingMs FROM ${this.table} WHERE digest IN (?) AND ends > ${now}`;
    const { rows } = await this.database.read(sql, [counted.map(({ digest }) => digest)]);
    const status = { blockedForMs: 0, failures: 0 };
    for (const [index, { digest, limit }] of counted.entries()) {
      const row = rows.find((row) => row.digest === digest);
      const failures = Number(row?.failures ?? 0);
      if (index === 0) status.failures = failures;
      if (failures >= limit) status.blockedForMs = Math.max(status.blockedForMs, Number(row?.remainingMs));
    }
    return status;
  }

  async recordFailure(attempt: Attempt): Promise<void> {
    // Assignments are executed in their order: that of `ends` finds the new number of failures.
    const sql = `INSERT INTO ${this.table} (digest, failures, ends) VALUES (?, 1, ${now} + ?)
      ON DUPLICATE KEY UPDATE
        failures = IF(ends <= ${now}, 1, failures + 1),
        ends = CASE failures WHEN ? THEN ${now} + ? WHEN 1 THEN ${now} + ? ELSE ends END`;
    await this.database.call(({ transaction }) =>
      transaction(async (query) => {
        for (const { digest, limit, windowMs, blockMs } of this.countedFor(attempt))
          await query(sql, [digest, limit === 1 ? blockMs : windowMs, limit, blockMs, windowMs]);
      }),
    );
  }

  async reset(user: string): Promise<void> {
    await this.database.write(`DELETE FROM ${this.table} WHERE digest = ?`, [digestOf('user', user)]);
  }

  async check(): Promise<string> {
    const noRow = `FROM ${this.table} WHERE digest = ''`;
    if (this.database.readOnly) await this.database.read(`SELECT 1 ${noRow}`);
    else await this.database.write(`DELETE ${noRow}`);
    return `wrong passwords are counted in table ${this.table}`;
  }

  async close(): Promise<void> {
    clearInterval(this.cleanup);
  }

  /** The user, and the client address if it is counted, each with its limit and times. */
  private countedFor({ user, client }: Attempt): readonly Counted[] {
    const { failures, clientFailures, windowMs, blockMs, ofClients = { windowMs, blockMs } } = this.limits;
    const ofUser = { digest: digestOf('user', user), limit: failures, windowMs, blockMs };
    if (client === undefined || clientFailures === 0) return [ofUser];
    return [ofUser, { digest: digestOf('client', client), limit: clientFailures, ...ofClients }];
  }

  private async removeEnded(): Promise<void> {
    const sql = `DELETE FROM ${this.table} WHERE ends <= ${now} ORDER BY ends LIMIT ?`;
    let removed = rowsPerCleanup;
    while (removed === rowsPerCleanup) removed = (await this.database.write(sql, [rowsPerCleanup])).count;
  }
}
