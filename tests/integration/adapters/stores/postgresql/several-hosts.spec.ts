import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { eventually } from '../../../../support/eventually.ts';
import { privatePostgresql } from '../../../../support/postgresql/index.ts';
import { freePort, PostgresServer } from '../../../../support/postgresql/server.ts';
import { ScratchSchema } from './scratch-schema.ts';

const operationTimeoutMs = 3_000;

describe('PostgreSQL on several hosts', function () {
  this.timeout(60_000);
  const primary = privatePostgresql();
  let standby: PostgresServer;
  let scratch: ScratchSchema;

  const urlOf = (...ports: readonly number[]) =>
    `postgresql://latchkey@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=read-write`;
  const open = async (...ports: readonly number[]): Promise<UserStore> =>
    (await scratch.open({ connectionString: urlOf(...ports) }, { operationTimeoutMs })).users;
  const find = (store: UserStore, name: string) => store.find(keyOf(userOf(`${name}@example.com`).email.address));

  beforeEach(async () => {
    scratch = await ScratchSchema.create(primary().url);
    standby = await PostgresServer.createEmpty();
    await standby.follow('127.0.0.1', primary().port);
  });
  afterEach(() => standby.dispose());

  it('uses the primary, wherever it is among hosts that follow it, refuse connections or do not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const silentPort = typeof address === 'object' && address !== null ? address.port : 0;
    const store = await open(await freePort(), silentPort, standby.port, primary().port);
    try {
      expect(await store.insert(userOf('ada@example.com'))).to.have.property('version');
      expect(await find(store, 'ada')).to.have.property('user');
    } finally {
      await store.close();
      silent.close();
    }
  });

  it('says in a check that writes wait for a standby, whatever the role may read', async () => {
    const role = `role_${randomUUID().replaceAll('-', '_')}`;
    const setUp = [
      `CREATE ROLE ${role} LOGIN; GRANT ALL ON SCHEMA ${scratch.schema} TO ${role}`,
      `ALTER SYSTEM SET synchronous_standby_names = '*'`,
      'SELECT pg_reload_conf()',
    ];
    for (const statement of setUp) await scratch.query(statement);
    try {
      for (const user of [role, 'latchkey']) {
        const connectionString = urlOf(primary().port, standby.port).replace('latchkey', user);
        const { users } = await scratch.open({ connectionString }, { operationTimeoutMs });
        await eventually(async () => expect(await users.check(), user).to.match(/writes wait for a standby$/), 5_000);
      }
    } finally {
      await scratch.query('ALTER SYSTEM RESET synchronous_standby_names');
      await scratch.query('SELECT pg_reload_conf()');
    }
  });

  it('says that all hosts have to be named if only a standby is', async () => {
    const { users } = await scratch.open({}, { operationTimeoutMs });
    await users.check();
    await eventually(async () => {
      const table = `to_regclass('${scratch.schema}.users_attempts')::text`;
      expect(await standby.query(`SELECT ${table}`)).to.be.a('string');
    }, 10_000);
    const store = await open(standby.port);
    const advice = 'connectionString has to name all hosts';
    for (const work of [() => find(store, 'ada'), () => store.insert(userOf('ada@example.com')), () => store.check()])
      expect(await work().catch(String))
        .to.include('the server is a standby')
        .and.include(advice);
  });

  it('ends its connections, also to a host that has stopped to answer', async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
    const before = sockets();
    const store = await open(primary().port, standby.port);
    await store.check();
    const sessions = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'latchkey'`;
    await eventually(async () => expect(await standby.query(sessions)).to.equal('1'), 5_000);
    await standby.pause();
    await store.close();
    await eventually(async () => expect(sockets()).to.equal(before), 2_000);
  });

  it('leaves a primary for its promoted standby within a second, and never returns to it', async () => {
    const store = await open(primary().port, standby.port);
    await store.insert(userOf('ada@example.com'));
    await eventually(async () => {
      const count = await standby.query(`SELECT count(*) FROM ${scratch.schema}.users`);
      expect(count).to.equal('1');
    }, 10_000);
    // The former primary is not told, so that it still takes writes.
    await standby.query('SELECT pg_promote()');
    await setTimeout(2_000);
    await store.insert(userOf('grace@example.com'));
    await primary().query(`DELETE FROM ${scratch.schema}.users`);
    for (const name of ['ada', 'grace']) expect(await find(store, name), name).to.have.property('user');
    // Another process that begins now takes the one that was promoted last.
    const other = await open(primary().port, standby.port);
    expect(await find(other, 'grace')).to.have.property('user');
    // The former primary is not used, also if it is the only one.
    await standby.stop();
    const fault = await find(store, 'ada').catch((error: unknown) => error);
    expect(fault).to.include({ code: 'store_unavailable' });
    await Promise.all([store.close(), other.close()]);
  });
});
