import { Fault } from '../../../application/fault.ts';
import { MissingDatabase } from '../../kit/definition.ts';
import { type MarkContext, StoredFormat } from '../stored-format.ts';
import { type Inspected, inspected, inspection, plainName } from './catalogue.ts';
import { isForbidden, isLocked, toFault } from './errors.ts';
import type { Tables } from './postgresql-schema.ts';
import { type Row, type Run, textLiteral } from './sql.ts';

/**
 * Reads what `describeServer` says. No privilege is needed; without that to read statistics, every program that receives the
 * log of the server counts as a synchronous standby. NULL stands for no limit.
 */
const findServer = `SELECT current_setting('server_version'),
  (SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()),
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') <> 'local',
  EXISTS (SELECT FROM pg_catalog.pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum')),
  least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int,
    (SELECT nullif(rolconnlimit, -1) FROM pg_catalog.pg_roles WHERE rolname = session_user),
    (SELECT nullif(datconnlimit, -1) FROM pg_catalog.pg_database WHERE datname = current_database()))`;

/** A line for operators about the server, from a row of `findServer`, and the most connections that the service makes. */
const describeServer = ([version, ...row]: Row, connections: number): string => {
  const [isEncrypted, waits, hasStandby] = row.map((value) => value === 't');
  const limit = Number(row[3]);
  // A write that only an asynchronous standby lacks is lost with the primary.
  const standby = waits ? 'a standby' : 'no standby';
  return [
    `PostgreSQL ${version?.split(' ')[0]}`,
    isEncrypted ? 'encrypted' : 'not encrypted',
    `writes wait for ${standby}`,
    ...(waits && !hasStandby ? ['of which none is connected: every write ends with a timeout'] : []),
    ...(connections > limit
      ? [
          `up to ${connections} connections, but the server has ${limit} for this role: lower poolSize, unless a pooler shares them`,
        ]
      : []),
  ].join(', ');
};

/** How long a change of a table waits for its users, such as pg_dump. All later reads wait meanwhile, too. */
const lockTimeoutMs = 100;

/** The time between attempts to change what the database lacks, because each of them may delay other clients. */
const retryDelayMs = 2_000;

export interface PreparationOptions extends MarkContext {
  /** Whether to create what is missing. */
  readonly migrates: boolean;
  /** The most connections to the primary of the service on this machine. */
  readonly connections: number;
}

/** Writes that change nothing, and need the permissions of all others to these columns. */
const probeOf = ({ table, columns }: Inspected['existing'][number]): readonly string[] => {
  const all = columns.join(', ');
  return [
    `INSERT INTO ${table} (${all}) SELECT ${all} FROM ${table} WHERE false`,
    `UPDATE ${table} SET (${all}) = ROW(${all}) WHERE false`,
    `DELETE FROM ${table} WHERE false`,
  ];
};

/** Compares the database with what this version needs, before the first call, and creates what is missing. */
export class Preparation {
  /** The mark of the versions that have written to the database, for calls: it may be read only once that is prepared. */
  readonly format: StoredFormat;
  private prepared: Promise<void> | undefined;
  /** Undefined until the database was inspected. */
  private found: Inspected | undefined;
  private isMarked = false;

  constructor(
    private readonly tables: Tables,
    private readonly options: PreparationOptions,
    /** Throws Faults. */
    private readonly execute: Run,
  ) {
    this.format = new StoredFormat({
      ...options,
      place: this.place,
      read: async () => {
        const [mark] = await execute(`SELECT format, time FROM ${this.readable.format} f`);
        this.isMarked = mark !== undefined;
        return mark && { format: Number(mark[0]), time: Number(mark[1]) };
      },
      write: async ({ format, time }) => {
        await execute(
          `INSERT INTO ${tables.format} AS mark (format, time) VALUES (${format}, ${time})
           ON CONFLICT (one) DO UPDATE SET format = greatest(mark.format, excluded.format)`,
        );
      },
    });
  }

  /** Prepares the tables once. A refusal, and a table that is in use, are not met again at once. */
  done(): Promise<void> {
    this.prepared ??= this.prepare().catch((error: unknown) => {
      const retry = () => {
        this.prepared = undefined;
      };
      if (isLocked(error) || (error instanceof Fault && error.code === 'store_rejected'))
        setTimeout(retry, retryDelayMs).unref();
      else retry();
      throw error;
    });
    return this.prepared;
  }

  /**
   * The tables as reads name them: some are queries if the database may not be changed, and need an alias. A service that
   * creates what is missing reads the tables themselves, so that one that is missing is an error and never looks empty.
   */
  get readable(): Tables {
    return this.options.readOnly ? (this.found?.readable ?? this.tables) : this.tables;
  }

  /**
   * Executes writes that change nothing: they need a primary, the tables and the permissions of every write. Resolves with a
   * line for operators, which says what the service will do with a database that is only read. Throws the Fault of what it
   * must not do.
   */
  async check(run: Run): Promise<string> {
    // Again, because another program may have changed the tables since.
    const { existing, missing, mayCreate } = await this.inspect(run);
    const [row = []] = await run(...existing.flatMap(probeOf), findServer).catch((error: unknown) => {
      const fault = toFault(error);
      if (!isForbidden(fault)) throw fault;
      const message = `${fault.message}; latchkey migrate --print lists all that it needs`;
      throw new Fault(fault.code, message, { cause: fault });
    });
    const { readOnly = false, migrates } = this.options;
    if (missing.length > 0 && !(readOnly && migrates && mayCreate)) throw this.incomplete(missing);
    return [
      `table ${plainName(this.tables.users)} is read and written`,
      describeServer(row, this.options.connections),
      missing.length === 0 ? undefined : `the service creates ${missing.join(', ')}`,
      // Every version that has used a database has marked it: without a mark there is no way back to warn of.
      this.isMarked ? this.format.describe() : undefined,
    ]
      .filter((part) => part !== undefined)
      .join('; ');
  }

  /** Reads what the database has. Throws the Fault `store_rejected` if its tables cannot be used. */
  async inspect(run = this.execute): Promise<Inspected> {
    const found = inspected(this.tables, await run(inspection(this.tables)));
    if (found.defects.length > 0) throw new Fault('store_rejected', `PostgreSQL: ${found.defects.join('; ')}`);
    this.found = found;
    return found;
  }

  /** Creates what is missing; one process at a time, because several that start together would otherwise fail. */
  async create({ missing, statements }: Inspected): Promise<void> {
    const lock = `SELECT pg_catalog.pg_advisory_xact_lock(hashtext(${textLiteral(`latchkey ${this.tables.users}`)}))`;
    try {
      // Opening a table ends what the session remembers of the catalogue: the schema that another process has created since.
      const refresh = 'SELECT FROM pg_catalog.pg_namespace LIMIT 0';
      await this.execute(lock, refresh, `SET LOCAL lock_timeout = ${lockTimeoutMs}`, ...statements);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'store_rejected') throw error;
      throw this.incomplete(missing, error);
    }
  }

  private async prepare(): Promise<void> {
    const { readOnly = false, migrates } = this.options;
    const found = await this.inspect();
    const { exists, mayCreate, missing } = found;
    if (readOnly && !exists && migrates && mayCreate) throw new MissingDatabase(this.place, true);
    // A version that lacks a column can write no user, and therefore does not serve until it has all of them.
    if (missing.length > 0 && (readOnly ? !exists : !migrates)) throw this.incomplete(missing);
    if (missing.length > 0 && !readOnly) {
      await this.create(found);
      await this.inspect();
    }
    await this.format.check();
  }

  private get place(): string {
    return `PostgreSQL table ${plainName(this.tables.users)}`;
  }

  private incomplete(missing: readonly string[], cause?: Fault): Fault {
    const reason = cause === undefined ? '' : `, and cannot be created: ${cause.message.replace('PostgreSQL: ', '')}`;
    const message = `PostgreSQL: missing: ${missing.join(', ')}${reason}; latchkey migrate creates it, with a role that may`;
    return new Fault('store_rejected', message, { cause });
  }
}
