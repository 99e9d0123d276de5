import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { keyOf } from '../../../../../domain/email-address.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { faultOf, written } from '../../../../../sdk/contract/outcomes.ts';
import { eventually } from '../../../../support/eventually.ts';
import { privatePostgresql } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

const jane = userOf('jane@example.com');

describe('PostgreSQL that others have set up', () => {
  const server = privatePostgresql();
  let scratch: ScratchSchema;

  beforeEach(async () => {
    scratch = await ScratchSchema.create(server().url);
  });
  afterEach(async () => {
    for (const reset of ['ALTER ROLE latchkey RESET ALL', 'ALTER SYSTEM RESET ALL', 'SELECT pg_reload_conf()'])
      await scratch.query(reset);
    await scratch.dispose();
  });

  for (const setting of [
    "bytea_output = 'escape'",
    'quote_all_identifiers = on',
    'standard_conforming_strings = off',
    "client_encoding = 'LATIN1'",
    "default_transaction_isolation = 'serializable'",
    "search_path = ''",
  ])
    it(`stores what it is given although its role has ${setting}`, async () => {
      await scratch.query(`ALTER ROLE latchkey SET ${setting}`);
      const { users, names } = await scratch.open();
      const user = { ...jane, password: "back\\slash, 'quote' and \0 \u{1f511}" };
      for (const address of ['first', 'second'].map((name) => userOf(`${name}@example.com`).email)) {
        const name = idOf(address.address.slice(0, 5));
        const stored = written(await users.insert({ ...user, email: address }, { names: [name] }));
        expect(await users.find(keyOf(address.address))).to.deep.equal(stored);
        expect(await names?.find(name)).to.deep.equal(stored);
      }
    });

  it('reads what it has stored after a reload of the server that changes how bytes are written', async () => {
    const { users, names } = await scratch.open({ poolSize: 1 });
    const user = { ...jane, password: "\\x41 and \\, 'quote' and \0 \u{1f511}" };
    const stored = written(await users.insert(user, { names: [idOf('jane')] }));
    await scratch.query("ALTER SYSTEM SET bytea_output = 'escape'");
    await scratch.query('SELECT pg_reload_conf()');
    const reloaded = [{ bytea_output: 'escape' }];
    await eventually(async () => expect(await scratch.query('SHOW bytea_output')).to.deep.equal(reloaded), 10_000);
    expect(await users.find(keyOf(jane.email.address))).to.deep.equal(stored);
    expect(await names?.find(idOf('jane'))).to.deep.equal(stored);
    expect(await users.insert(userOf('john@example.com'), { names: [idOf('jane')] })).to.include({
      taken: idOf('jane'),
    });
  });

  it('waits as long as it is configured to although its role has a shorter statement_timeout', async () => {
    await scratch.query("ALTER ROLE latchkey SET statement_timeout = '100ms'");
    const { users } = await scratch.open();
    await users.check();
    const unlock = await scratch.lock(`LOCK TABLE ${scratch.schema}.users`);
    const inserted = users.insert(jane);
    await scratch.waiting(1);
    await scratch.query('SET statement_timeout = 0; SELECT pg_sleep(0.3)');
    await unlock();
    written(await inserted);
  });

  it('executes no function of others that fits its calls better than that of the server', async () => {
    const { schema } = scratch;
    const functions = {
      'convert_to(text, text)': 'bytea',
      'pg_advisory_xact_lock(integer)': 'text',
      'unnest(bytea[])': 'SETOF bytea',
      'unnest(int2vector)': 'SETOF int2',
    };
    await scratch.query(
      `CREATE FUNCTION ${schema}.refused() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$`,
    );
    for (const [signature, type] of Object.entries(functions))
      await scratch.query(
        `CREATE FUNCTION ${schema}.${signature} RETURNS ${type} LANGUAGE sql AS $$ SELECT ${schema}.refused(); SELECT NULL::${type.replace('SETOF ', '')} $$`,
      );
    await scratch.query(`ALTER ROLE latchkey SET search_path = ${schema}`);
    const { users } = await scratch.open();
    written(await users.insert(jane, { names: [idOf('jane')] }));
    expect(await users.insert(userOf('john@example.com'), { names: [idOf('jane')] })).to.have.property('taken');
  });

  it('executes no function or operator of others that comes before that of the server', async () => {
    const { schema } = scratch;
    const { users } = await scratch.open();
    written(await users.insert(jane, { names: [idOf('jane')] }));
    await scratch.query(
      `CREATE FUNCTION ${schema}.refused(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$;
       CREATE OPERATOR ${schema}.= (FUNCTION = ${schema}.refused, LEFTARG = text, RIGHTARG = text);
       CREATE FUNCTION ${schema}.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT 'shadow' $$;
       CREATE FUNCTION ${schema}.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$ SELECT 'shadow' $$;
       CREATE FUNCTION ${schema}.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS $$ SELECT true $$`,
    );
    for (const path of [`${schema}, pg_catalog`, `${schema},"pg_catalog", public`]) {
      await scratch.query(`ALTER ROLE latchkey SET search_path = ${path}`);
      const other = await scratch.open();
      for (let n = 0; n < 2; n++) expect(await other.users.find(keyOf(jane.email.address))).to.have.property('version');
      expect(await other.users.insert(jane)).to.have.property('taken');
      expect(await other.users.check()).to.include('is read and written');
    }
  });

  for (const [table, key] of [
    ['users', 'key'],
    ['users_names', 'name'],
  ] as const)
    it(`gives a new key to no user while ${table} has no primary key, as during a restore`, async () => {
      const { users } = await scratch.open();
      const stored = written(await users.insert(jane, { names: [idOf('first')] }));
      await scratch.query(
        `SET search_path = ${scratch.schema}; ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey CASCADE`,
      );
      const refused = { code: 'store_rejected', message: 'PostgreSQL: a table lacks its primary key (42803)' };
      expect(await faultOf(users.insert(jane, { names: [idOf('first')] }))).to.include(refused);
      const moved = { ...jane, email: userOf('joan@example.com').email };
      expect(await faultOf(users.replace(stored, moved))).to.include(refused);
      await scratch.query(`ALTER TABLE ${scratch.schema}.${table} ADD PRIMARY KEY (${key})`);
      expect(await users.insert(jane)).to.deep.equal({ taken: keyOf(jane.email.address) });
    });

  it('acknowledges no user whom a trigger has left out', async () => {
    const { schema } = scratch;
    const { users } = await scratch.open();
    await users.check();
    await scratch.query(
      `CREATE FUNCTION ${schema}.leave_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
       CREATE TRIGGER leave_out BEFORE INSERT ON ${schema}.users FOR EACH ROW EXECUTE FUNCTION ${schema}.leave_out()`,
    );
    const { code, message } = await faultOf(users.insert(jane));
    expect([code, message]).to.deep.equal([
      'store_rejected',
      'PostgreSQL: a trigger or a rule of the table kept a user from being stored',
    ]);
  });

  describe('acknowledges no write that a trigger', () => {
    const event = { id: '1', destination: 'receiver', time: 1, body: '{}' };
    const refused = {
      code: 'store_rejected',
      message: 'PostgreSQL: a trigger or a rule of a table kept a user or an event from being stored (22012)',
    };
    const addTrigger = (table: string, command: string, body: string): Promise<unknown> =>
      scratch.query(
        `CREATE FUNCTION ${scratch.schema}.changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
         CREATE TRIGGER changed BEFORE ${command} ON ${scratch.schema}.${table} FOR EACH ROW
           EXECUTE FUNCTION ${scratch.schema}.changed()`,
      );

    it('has replaced by the former row, and stores no name or event of it', async () => {
      const { users, names, events } = await scratch.open();
      const stored = written(await users.insert(jane));
      await addTrigger('users', 'UPDATE', 'RETURN OLD;');
      const changed = { ...jane, password: 'changed' };
      expect(await faultOf(users.replace(stored, changed))).to.include(refused);
      const options = { names: [idOf('jane')], events: [event] };
      expect(await faultOf(users.replace(stored, changed, options))).to.include(refused);
      expect(await users.find(keyOf(jane.email.address))).to.deep.equal(stored);
      expect(await names?.find(idOf('jane'))).to.equal(undefined);
      expect(await events?.pending('receiver', 10)).to.equal(0);
    });

    it('has given another version, while writes at the same time are made', async () => {
      const { users } = await scratch.open();
      await users.check();
      await addTrigger('users', 'INSERT', "IF NEW.key LIKE 'jane%' THEN NEW.version = 'own'; END IF; RETURN NEW;");
      const others = ['ada', 'bea', 'cleo', 'dan', 'eve', 'fay'].map((name) => userOf(`${name}@example.com`));
      const inserted = others.map((user) => users.insert(user));
      expect(await faultOf(users.insert(jane))).to.include(refused);
      for (const insert of inserted) written(await insert);
      expect(await users.find(keyOf(jane.email.address))).to.equal(undefined);
    });

    it('has kept from storing its event', async () => {
      const { users } = await scratch.open();
      const stored = written(await users.insert(jane));
      await addTrigger('users_events', 'INSERT', 'RETURN NULL;');
      expect(await faultOf(users.insert(userOf('john@example.com'), { events: [event] }))).to.include(refused);
      expect(await users.find(keyOf(userOf('john@example.com').email.address))).to.equal(undefined);
      expect(await faultOf(users.remove(stored, { events: [event] }))).to.include(refused);
      expect(await users.find(keyOf(jane.email.address))).to.deep.equal(stored);
    });
  });

  it('serves bursts with the connections that it has while the server has none left', async () => {
    const { schema } = scratch;
    const { users: owner } = await scratch.open();
    await owner.check();
    await scratch.query(`CREATE ROLE narrow LOGIN CONNECTION LIMIT 2; GRANT USAGE ON SCHEMA ${schema} TO narrow;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO narrow`);
    const { users } = await scratch.open({ connectionString: server().url.replace('latchkey@', 'narrow@') });
    await users.find(keyOf(jane.email.address));
    for (let round = 0; round < 5; round++) {
      const burst = Array.from({ length: 20 }, (_, n) => userOf(`user-${round}-${n}@example.com`));
      const written = burst.map((user) => users.insert(user));
      await Promise.all([...written, ...burst.map(({ email }) => users.find(keyOf(email.address)))]);
    }
    await users.close();
    await scratch.query('DROP OWNED BY narrow; DROP ROLE narrow');
  });

  it('is unavailable, and not refused, while its database accepts no connections', async () => {
    await scratch.query('CREATE DATABASE maintained TEMPLATE template0');
    const accept = (accepts: boolean) =>
      scratch.query(`ALTER DATABASE maintained ALLOW_CONNECTIONS ${accepts};
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'maintained'`);
    const maintained = await ScratchSchema.create(server().url.replace(/postgres$/, 'maintained'));
    const { users } = await maintained.open();
    await users.insert(jane);
    await accept(false);
    const find = () => users.find(keyOf(jane.email.address));
    await eventually(
      async () =>
        expect(await faultOf(find())).to.include({
          code: 'store_unavailable',
          message: 'PostgreSQL: the database accepts no connections (55000)',
        }),
      2_000,
    );
    await accept(true);
    await eventually(find, 2_000);
    await maintained.dispose();
    await scratch.query('DROP DATABASE maintained');
  });

  it('may ask for Kerberos without ending the process', async () => {
    // AuthenticationGSS
    const asking = createServer((socket) =>
      socket.on('error', () => undefined).end(Buffer.from('R\0\0\0\x08\0\0\0\x07')),
    );
    asking.listen(0, '127.0.0.1');
    await once(asking, 'listening');
    const { port } = Object(asking.address());
    const { users } = await scratch.open({ connectionString: `postgresql://latchkey@127.0.0.1:${port}/postgres` });
    const { code, message } = await faultOf(users.find(keyOf(jane.email.address)));
    expect([code, message]).to.deep.equal([
      'store_unavailable',
      'PostgreSQL: the driver cannot read what the server sent, such as a request for GSSAPI or SSPI',
    ]);
    asking.close();
  });
});
