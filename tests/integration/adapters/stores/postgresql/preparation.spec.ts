import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Client } from 'pg';
import { MissingDatabase } from '../../../../../adapters/kit/definition.ts';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { faultOf, written } from '../../../../../sdk/contract/outcomes.ts';
import { eventually } from '../../../../support/eventually.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

describe('the tables in PostgreSQL', () => {
  const url = postgresqlUrl();
  /** Of the server itself: a pooler has its own users, and keeps connections to databases. */
  const directUrl = postgresqlUrl(false);
  const userNamed = (name: string) => userOf(`${name}@example.com`);
  const jane = userNamed('jane');
  let scratch: ScratchSchema;
  const clients: Client[] = [];

  beforeEach(async () => {
    scratch = await ScratchSchema.create(url());
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
    await scratch.dispose();
  });

  /** A client besides the stores. */
  const connected = async (): Promise<Client> => {
    const client = new Client({ connectionString: url() });
    clients.push(client);
    await client.connect();
    return client;
  };

  /** The URL of the server for another role. */
  const urlOf = (role: string): string => Object.assign(new URL(directUrl()), { username: role }).href;

  /** A role that may use the schema in one way, and is dropped with what it may. */
  const withRole = async (
    privileges: string,
    use: (role: string, connectionString: string) => Promise<void>,
  ): Promise<void> => {
    const role = `role_${randomUUID().replaceAll('-', '_')}`;
    await scratch.query(`CREATE ROLE ${role} LOGIN; GRANT ${privileges} ON SCHEMA ${scratch.schema} TO ${role}`);
    try {
      await use(role, urlOf(role));
    } finally {
      await scratch.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  };

  /** Everything that the catalogue says of the schema, and the rows. */
  const dump = async (): Promise<string> => {
    const { schema } = scratch;
    const columns = await scratch.query(
      `SELECT c.oid, c.relfilenode, c.xmin, relname, attname, format_type(atttypid, atttypmod) FROM pg_class c
       JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_attribute a ON attrelid = c.oid
       WHERE nspname = '${schema}' ORDER BY relname, attnum`,
    );
    const tables = await scratch.query(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' ORDER BY 1`);
    const rows: unknown[] = [];
    for (const { tablename } of tables)
      rows.push(await scratch.query(`SELECT xmin, * FROM ${schema}.${tablename} ORDER BY ctid`));
    return JSON.stringify([columns, rows], undefined, 1);
  };

  /** A store that has prepared the tables, and a user in them. */
  const prepared = async (): Promise<void> => {
    const { users } = await scratch.open();
    written(await users.insert(jane));
  };

  it('are created by several processes that start together', async () => {
    await scratch.query(`DROP SCHEMA ${scratch.schema}`);
    const stores = await Promise.all(Array.from({ length: 8 }, () => scratch.open()));
    for (const line of await Promise.all(stores.map(({ users }) => users.check())))
      expect(line).to.match(
        new RegExp(
          `^table ${scratch.schema}.users is read and written; PostgreSQL [\\d.]+, not encrypted, writes wait for no standby$`,
        ),
      );
    await Promise.all(stores.map(({ users }, n) => users.insert(userNamed(`user-${n}`))));
    expect(await scratch.query(`SELECT format FROM ${scratch.schema}.users_format`)).to.deep.equal([{ format: 2 }]);
  });

  it('are compared once, also while old events are to be removed: a second comparison could end later, and find less', async () => {
    const { schema } = scratch;
    await scratch.query(`DROP SCHEMA ${schema}`);
    const rollBack = await scratch.lock(`CREATE SCHEMA ${schema}`);
    const { users, events } = await scratch.open();
    const { code, message } = await faultOf(events?.expire(0, 1) ?? Promise.resolve());
    expect([code, message]).to.deep.equal([
      'store_unavailable',
      'PostgreSQL: a table is in use, so that it cannot be changed (55P03)',
    ]);
    await rollBack();
    await eventually(async () => expect(await events?.expire(0, 1)).to.have.property('size', 0), 10_000);
    expect(await users.check()).to.not.include('creates');
  });

  it('are used as they are once they are complete', async () => {
    await prepared();
    const before = await dump();
    const { users } = await scratch.open();
    await users.check();
    expect(await users.find(keyOf(jane.email.address))).to.have.property('version');
    expect(await dump()).to.equal(before);
  });

  it('get the columns and tables that they lack', async () => {
    await prepared();
    await scratch.query(
      `ALTER TABLE ${scratch.schema}.users DROP COLUMN disabled_time, DROP COLUMN id; DROP TABLE ${scratch.schema}.users_events`,
    );
    const { users } = await scratch.open();
    const found = await users.find(keyOf(jane.email.address));
    expect(found?.user).to.deep.equal(jane);
    const disabled = { ...jane, disablement: { since: 5 } };
    expect(found && (await users.replace(found, disabled)))
      .to.have.property('user')
      .that.deep.equals(disabled);
  });

  it('keep what a newer version adds to a user', async () => {
    await prepared();
    await scratch.query(
      `ALTER TABLE ${scratch.schema}.users ADD added text; UPDATE ${scratch.schema}.users SET added = 'new'`,
    );
    const { users } = await scratch.open();
    const found = await users.find(keyOf(jane.email.address));
    if (found) await users.replace(found, { ...jane, lastUpdateTime: jane.lastUpdateTime + 1 });
    expect(await scratch.query(`SELECT added FROM ${scratch.schema}.users`)).to.deep.equal([{ added: 'new' }]);
  });

  it('are not used after a newer version has marked them', async () => {
    await prepared();
    await scratch.query(`UPDATE ${scratch.schema}.users_format SET format = 99`);
    const { users } = await scratch.open();
    const fault = await faultOf(users.find(keyOf(jane.email.address)));
    expect(fault.code).to.equal('store_rejected');
    expect(fault.message).to.match(/users: written by a newer version of Latchkey \(format 99, known: \d+\)$/);
  });

  for (const [change, message] of [
    [
      'ALTER TABLE users ALTER key TYPE text COLLATE "en-x-icu"',
      'column key of @.users is text COLLATE "en-x-icu", not text COLLATE "C"',
    ],
    [
      'ALTER TABLE users ALTER properties TYPE jsonb USING properties::jsonb',
      'column properties of @.users is jsonb, not text',
    ],
    ['ALTER TABLE users DROP CONSTRAINT users_pkey CASCADE', '@.users has no unique key (key)'],
    [
      'ALTER TABLE users_events DROP CONSTRAINT users_events_pkey',
      '@.users_events has no unique key (destination, id)',
    ],
    ['ALTER TABLE users_events SET UNLOGGED', '@.users_events is unlogged: a crash of the server would empty it'],
    ['CREATE TABLE archive () INHERITS (users)', '@.users has child tables, whose rows its unique key does not cover'],
  ] as const)
    it(`are not used after ${change}`, async () => {
      await prepared();
      await scratch.query(`SET search_path = ${scratch.schema}; ${change}`);
      const before = await dump();
      const { users } = await scratch.open();
      const fault = await faultOf(users.insert(userNamed('john')));
      expect(fault.code).to.equal('store_rejected');
      expect(fault.message).to.equal(`PostgreSQL: ${message.replace('@', scratch.schema)}`);
      expect(await dump()).to.equal(before);
    });

  for (const [change, message] of [
    ['ALTER TABLE users_events SET UNLOGGED', '@.users_events is unlogged: a crash of the server would empty it'],
    ['ALTER TABLE users ALTER verified TYPE text', 'column verified of @.users is text, not boolean'],
    [
      'ALTER TABLE users DROP COLUMN id',
      'missing: column id of @.users; latchkey migrate creates it, with a role that may',
    ],
  ] as const)
    it(`are reported by a check of a running service after ${change}`, async () => {
      const { users } = await scratch.open();
      await users.check();
      await scratch.query(`SET search_path = ${scratch.schema}; ${change}`);
      const { code, message: reported } = await faultOf(users.check());
      expect([code, reported]).to.deep.equal(['store_rejected', `PostgreSQL: ${message.replace('@', scratch.schema)}`]);
    });

  it('are not used in a database of another encoding', async () => {
    const name = `latin_${randomUUID().replaceAll('-', '_')}`;
    await scratch.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    try {
      const { users } = await scratch.open({
        connectionString: Object.assign(new URL(directUrl()), { pathname: name }).href,
      });
      const { code, message } = await faultOf(users.check());
      expect([code, message]).to.deep.equal([
        'store_rejected',
        'PostgreSQL: the encoding of the database is LATIN1, not UTF8',
      ]);
      await users.close();
    } finally {
      await scratch.query(`DROP DATABASE ${name}`);
    }
  });

  it('are changed once no other client uses them, and delay other clients only a little meanwhile', async () => {
    await prepared();
    const { schema } = scratch;
    await scratch.query(`ALTER TABLE ${schema}.users DROP COLUMN id`);
    const [reader, other] = [await connected(), await connected()];
    await reader.query(`BEGIN; SELECT count(*) FROM ${schema}.users`);
    const { users } = await scratch.open();
    const { code, message } = await faultOf(users.check());
    expect([code, message]).to.deep.equal([
      'store_unavailable',
      'PostgreSQL: a table is in use, so that it cannot be changed (55P03)',
    ]);
    // Calls that follow do not try again at once: each attempt makes the others wait.
    const started = performance.now();
    for (let n = 0; n < 20; n++) await faultOf(users.check());
    for (let n = 0; n < 20; n++) await other.query(`SELECT count(*) FROM ${schema}.users`);
    expect(performance.now() - started).to.be.below(1_500);
    await reader.query('COMMIT');
    await eventually(async () => expect(await users.check()).to.include('is read and written'), 10_000);
  });

  describe('and the permissions of a role', () => {
    const grant = (role: string): Promise<unknown> =>
      scratch.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${scratch.schema} TO ${role}`);

    it('suffice without the one to create anything', async () => {
      await prepared();
      await withRole('USAGE', async (role, connectionString) => {
        await grant(role);
        for (const migrate of ['auto', 'never']) {
          const { users } = await scratch.open({ connectionString, migrate });
          await users.check();
          const stored = written(await users.insert(userNamed(migrate), { names: [idOf(migrate)] }));
          expect(await users.remove(stored)).to.equal('removed');
          await users.close();
        }
      });
    });

    it('may not hide rows', async () => {
      await prepared();
      await withRole('USAGE', async (role, connectionString) => {
        await grant(role);
        const running = await scratch.open({ connectionString });
        await running.users.check();
        await scratch.query(`ALTER TABLE ${scratch.schema}.users ENABLE ROW LEVEL SECURITY`);
        const hidden = 'PostgreSQL: row level security may hide rows from this role (42501)';
        expect((await faultOf(running.users.find(keyOf(jane.email.address)))).message).to.equal(hidden);
        const filtered = `PostgreSQL: ${scratch.schema}.users has row level security, which may hide rows from this role`;
        expect((await faultOf(running.users.check())).message).to.equal(filtered);
        await running.users.close();
        const { users } = await scratch.open({ connectionString });
        const { code, message } = await faultOf(users.find(keyOf(jane.email.address)));
        expect([code, message]).to.deep.equal(['store_rejected', filtered]);
        await users.close();
      });
    });

    it('lack one for writes, which a check finds', async () => {
      await prepared();
      await withRole('USAGE', async (role, connectionString) => {
        await grant(role);
        await scratch.query(`REVOKE UPDATE ON ${scratch.schema}.users_events FROM ${role}`);
        const { users } = await scratch.open({ connectionString });
        expect((await faultOf(users.check())).message).to.equal(
          'PostgreSQL: the user lacks a privilege for table users_events (42501); latchkey migrate --print lists all that it needs',
        );
      });
    });

    for (const [migrate, reason] of [
      ['never', ''],
      ['auto', ', and cannot be created: the user lacks a privilege for schema @ (42501)'],
    ] as const)
      it(`keep a service with migrate: ${migrate} from changing anything, until another role has`, async () => {
        await withRole('USAGE', async (role, connectionString) => {
          const warnings: unknown[] = [];
          const log = {
            info: () => undefined,
            error: () => undefined,
            warn: (fields: object, message: string) => void warnings.push({ ...fields, message }),
          };
          const tables = ['', '_names', '_events', '_format'].map((suffix) => `table ${scratch.schema}.users${suffix}`);
          const { users } = await scratch.open({ connectionString, migrate }, { log });
          const fault = await faultOf(users.check());
          expect(fault.code).to.equal('store_rejected');
          for (const table of tables) expect(fault.message).to.include(table);
          expect(fault.message).to.match(
            /^PostgreSQL: missing: table .*; latchkey migrate creates it, with a role that may$/,
          );
          expect(fault.message).to.include(`${reason.replace('@', scratch.schema)}; latchkey migrate`);
          expect(warnings).to.deep.equal([{ reason: fault.message, message: 'the database is not ready' }]);
          await prepared();
          await grant(role);
          await eventually(async () => expect(await users.check()).to.include('is read and written'), 10_000);
          await users.close();
        });
      });
  });

  it('have a server whose limits of connections a check compares with those of the service', async () => {
    await prepared();
    const checkWith = async (options: Parameters<ScratchSchema['open']>[0], workers: number): Promise<string> =>
      (await scratch.open(options, { workers })).users.check();
    const { port } = new URL(directUrl());
    const hosts = `127.0.0.1:${port},localhost:${port}`;
    const several = { connectionString: directUrl().replace(/127.0.0.1:\d+/, hosts) };
    const warned = (from: number, to: number) =>
      `up to ${from} connections, but the server has ${to} for this role: lower poolSize, unless a pooler shares them`;
    const [row] = await scratch.query(
      `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`,
    );
    const most = Number(row?.most);
    const poolSize = Math.floor(most / 2);
    expect(await checkWith({ poolSize }, 2)).to.not.include('connections');
    expect(await checkWith({ poolSize: poolSize + 1 }, 2)).to.include(warned(2 * poolSize + 2, most));
    expect(await checkWith({ poolSize, ...several }, 2)).to.include(warned(2 * poolSize + 2, most));
    await withRole('USAGE', async (role, connectionString) => {
      await scratch.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${scratch.schema} TO ${role}`);
      await scratch.query(`ALTER ROLE ${role} CONNECTION LIMIT 9`);
      expect(await checkWith({ connectionString }, 1)).to.include(warned(10, 9));
      expect(await checkWith({ connectionString, poolSize: 9 }, 1)).to.not.include('connections');
    });
  });

  describe('in a command that only reads', () => {
    const readOnly = { readOnly: true };

    it('are not created, and it says whether the service may', async () => {
      const place = `PostgreSQL table ${scratch.schema}.users`;
      const { users } = await scratch.open({}, readOnly);
      const missing = await faultOf(users.check());
      expect(missing).to.be.instanceOf(MissingDatabase).with.property('path', place);
      expect(missing).to.have.property('canBeCreated', true);
      expect(await faultOf(users.find(keyOf(jane.email.address)))).to.be.instanceOf(MissingDatabase);
      const never = await scratch.open({ migrate: 'never' }, readOnly);
      expect((await faultOf(never.users.check())).message).to.match(
        /: missing: table .*; latchkey migrate creates it, with a role that may$/,
      );
      await withRole('USAGE', async (_, connectionString) => {
        const forbidden = await scratch.open({ connectionString }, readOnly);
        expect((await faultOf(forbidden.users.check())).message).to.match(
          /: missing: table .*; latchkey migrate creates it, with a role that may$/,
        );
        await forbidden.users.close();
      });
      expect(await scratch.query(`SELECT FROM pg_tables WHERE schemaname = '${scratch.schema}'`)).to.deep.equal([]);
    });

    it('may lack a column, which only the owner of the table can add', async () => {
      await prepared();
      await scratch.query(`ALTER TABLE ${scratch.schema}.users DROP COLUMN disabled_time`);
      await withRole('USAGE, CREATE', async (role, connectionString) => {
        await scratch.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${scratch.schema} TO ${role}`);
        const { users } = await scratch.open({ connectionString }, readOnly);
        expect((await faultOf(users.check())).message).to.match(
          /: missing: column disabled_time of .*; latchkey migrate creates it, with a role that may$/,
        );
        await users.close();
      });
    });

    it('may lack a schema, which the service creates', async () => {
      await scratch.query(`DROP SCHEMA ${scratch.schema}`);
      const { users } = await scratch.open({}, readOnly);
      expect(await faultOf(users.check())).to.have.property('canBeCreated', true);
      expect(await scratch.query(`SELECT FROM pg_namespace WHERE nspname = '${scratch.schema}'`)).to.deep.equal([]);
      await prepared();
    });

    it('may get a newer mark by the service, which the check says', async () => {
      await scratch.open({}, { keepsNames: false }).then(({ users }) => users.check());
      const before = await dump();
      const { users } = await scratch.open({}, readOnly);
      expect(await users.check()).to.match(
        /; the service marks it with the format 2, and versions that know a lower one refuse it$/,
      );
      expect(await dump()).to.equal(before);
    });

    it('may be of a former version, and stay as they are', async () => {
      await prepared();
      await scratch.query(
        `ALTER TABLE ${scratch.schema}.users DROP COLUMN id, DROP COLUMN disabled_time;
         DROP TABLE ${scratch.schema}.users_events, ${scratch.schema}.users_format, ${scratch.schema}.users_names`,
      );
      const before = await dump();
      const { users, names, listing } = await scratch.open({}, readOnly);
      expect((await users.find(keyOf(jane.email.address)))?.user).to.deep.equal(jane);
      expect(await names?.find(idOf('1'))).to.equal(undefined);
      const page = await listing?.list({ ...everyUser, limit: 5, after: undefined });
      expect(page?.users).to.deep.equal([jane]);
      const line = await users.check();
      const added = ['column disabled_time of @.users', 'column id of @.users', 'table @.users_names'];
      for (const text of added) expect(line).to.include(text.replace('@', scratch.schema));
      expect(line).to.match(/is read and written; PostgreSQL .*; the service creates column .*$/);
      const never = await scratch.open({ migrate: 'never' }, readOnly);
      expect((await never.users.find(keyOf(jane.email.address)))?.user).to.deep.equal(jane);
      expect((await faultOf(never.users.check())).message).to.include('latchkey migrate creates it');
      expect(await dump()).to.equal(before);
    });
  });
});
