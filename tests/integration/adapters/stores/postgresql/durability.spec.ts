import { expect } from 'chai';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { eventually } from '../../../../support/eventually.ts';
import { privatePostgresql } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

const operationTimeoutMs = 1_000;

describe('PostgreSQL with a synchronous standby that does not answer', () => {
  const server = privatePostgresql();
  let scratch: ScratchSchema;

  const set = async (settings: string): Promise<void> => {
    for (const statement of settings.split('; ')) await scratch.query(statement);
  };
  beforeEach(async () => {
    scratch = await ScratchSchema.create(server().url);
    const { users } = await scratch.open();
    await users.check();
  });
  afterEach(async () => {
    await set('ALTER SYSTEM RESET ALL; SELECT pg_reload_conf(); ALTER ROLE latchkey RESET ALL');
    await scratch.dispose();
  });

  /** Executes something as soon as a write waits for the standby. */
  const whenWaiting = (what: string) =>
    eventually(async () => {
      const found = await scratch.query(`SELECT ${what} FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
      expect(found).to.have.length.greaterThan(0);
    }, 5_000);

  const withoutStandby = "ALTER SYSTEM SET synchronous_standby_names = 'nobody'; SELECT pg_reload_conf()";

  for (const level of ['warning', 'error'])
    it(`acknowledges no write that no standby confirmed, also when an administrator cancels the wait (client_min_messages ${level})`, async () => {
      // Long enough to be found waiting on a busy machine.
      const { users } = await scratch.open({}, { operationTimeoutMs: 5_000 });
      await set(`ALTER SYSTEM SET client_min_messages = ${level}; ${withoutStandby}`);
      await eventually(async () => expect(await users.check()).to.include('writes wait for a standby'), 5_000);
      const written = rejection(users.insert(userOf('ada@example.com')));
      await whenWaiting('pg_cancel_backend(pid)');
      expect(await written).to.include({ code: 'store_unavailable' });
    });

  it('says in a check that every write waits for a standby, and that none is connected', async () => {
    const { users } = await scratch.open();
    expect(await users.check()).to.match(/writes wait for no standby$/);
    await set(withoutStandby);
    const line = 'writes wait for a standby, of which none is connected: every write ends with a timeout';
    await eventually(async () => expect(await users.check()).to.include(line), 5_000);
  });

  it('waits for the standby where the role would not', async () => {
    await set(`ALTER ROLE latchkey SET synchronous_commit = off; ${withoutStandby}`);
    const { users } = await scratch.open({}, { operationTimeoutMs });
    for (const name of ['first', 'second'])
      expect(await rejection(users.insert(userOf(`${name}@example.com`))), name).to.include({
        code: 'store_unavailable',
      });
  });

  it('waits for the standby after a reload of the server that turns it off for connections in use', async () => {
    const { users } = await scratch.open({}, { operationTimeoutMs });
    await users.check();
    await set(`ALTER SYSTEM SET synchronous_commit = off; ${withoutStandby}`);
    await eventually(async () => expect(await users.check()).to.include('writes wait for a standby'), 5_000);
    expect(await rejection(users.insert(userOf('ada@example.com')))).to.include({ code: 'store_unavailable' });
  });
});
