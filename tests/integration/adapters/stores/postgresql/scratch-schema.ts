import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Client } from 'pg';
import { postgresql } from '../../../../../adapters/stores/postgresql/index.ts';
import type { StorePorts, UserStore } from '../../../../../application/ports/user-store.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { eventually } from '../../../../support/eventually.ts';

/** A schema of one suite on a server, and the stores that were opened on it. */
export class ScratchSchema {
  readonly schema = `test_${randomUUID().replaceAll('-', '_')}`;
  private readonly stores: UserStore[] = [];

  private constructor(private readonly connectionString: string) {}

  static async create(connectionString: string): Promise<ScratchSchema> {
    const scratch = new ScratchSchema(connectionString);
    await scratch.query(`CREATE SCHEMA ${scratch.schema}`);
    return scratch;
  }

  /** The block `database` of a configuration. */
  get block() {
    return {
      type: 'postgresql',
      connectionString: this.connectionString,
      schema: this.schema,
      table: 'users',
    } as const;
  }

  /** Executes a statement on a connection of its own, for a look behind the store. */
  async query(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.connectionString });
    await client.connect();
    return client.query(text).then(
      ({ rows }) => client.end().then(() => rows),
      (error) => client.end().then(() => Promise.reject(error)),
    );
  }

  /** Executes a statement in a transaction that stays open, and with it its locks, until the result is called. */
  async lock(text: string): Promise<() => Promise<void>> {
    const { connectionString } = this;
    const client = new Client({ connectionString });
    await client.connect();
    await client.query(`BEGIN; ${text}`);
    return () => client.query('ROLLBACK').then(() => client.end());
  }

  /** Resolves when a number of statements on tables of the schema wait for locks. */
  async waiting(count: number): Promise<void> {
    const condition = `wait_event_type = 'Lock' AND query LIKE '%${this.schema}%'`;
    const waiting = () => this.query(`SELECT FROM pg_stat_activity WHERE ${condition}`);
    await eventually(async () => expect(await waiting()).to.have.length(count), 5_000);
  }

  /** Opens a store as the service does, with some options and parts of its context. */
  async open(
    options: Partial<Parameters<typeof postgresql.open>[0]> = {},
    context: Partial<Parameters<typeof postgresql.open>[1]> = {},
  ): Promise<StorePorts> {
    const { connectionString, schema } = this;
    const unset = { caFile: null, passwordFile: null, passwordCommand: null, statementTimeout: null };
    const store = await postgresql.open(
      { ...unset, connectionString, schema, table: 'users', poolSize: 10, migrate: 'auto', ...options },
      { ...silentContext, keepsNames: true, ...context },
    );
    this.stores.push(store.users);
    return store;
  }

  /** Closes everything and drops the schema. */
  async dispose(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
    await this.query(`DROP SCHEMA ${this.schema} CASCADE`);
  }
}
