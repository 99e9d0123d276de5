import { expect } from 'chai';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { faultOf, written } from '../../../../../sdk/contract/outcomes.ts';
import { TcpProxy } from '../../../../support/fault-proxy.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

describe('look-ups of users in PostgreSQL', () => {
  const url = postgresqlUrl();
  /** A pooler has its own sessions. */
  const directUrl = postgresqlUrl(false);
  let scratch: ScratchSchema;
  beforeEach(async () => {
    scratch = await ScratchSchema.create(url());
  });
  afterEach(() => scratch.dispose());

  it('at the same time find each user, also several times, and no other', async () => {
    const { users } = await scratch.open();
    const names = Array.from({ length: 150 }, (_, n) => `user-${n}@example.com`);
    const stored = await Promise.all(names.map(async (name) => written(await users.insert(userOf(name)))));
    const keys = [...names, 'nobody@example.com', ...names].map((name) => keyOf(addressOf(name)));
    const found = await Promise.all(keys.map((key) => users.find(key)));
    expect(found).to.deep.equal([...stored, undefined, ...stored]);
  });

  it('keep their connection when the server cancels them at the end of the timeout', async () => {
    const direct = await ScratchSchema.create(directUrl());
    try {
      const { users } = await direct.open({ poolSize: 1 }, { operationTimeoutMs: 500 });
      await users.check();
      const ownSession = `application_name = 'latchkey' AND query LIKE '%${direct.schema}%'`;
      const sessions = () => direct.query(`SELECT pid FROM pg_stat_activity WHERE ${ownSession}`);
      const find = () => users.find(keyOf(addressOf('ada@example.com')));
      await find();
      const before = await sessions();
      const release = await direct.lock(`LOCK TABLE ${direct.schema}.users`);
      expect(await faultOf(find())).to.have.property('code', 'store_unavailable');
      await release();
      expect(await find()).to.equal(undefined);
      expect(await sessions()).to.deep.equal(before);
    } finally {
      await direct.dispose();
    }
  });

  it('end within the timeout of a call, also while others wait for a server that does not respond', async () => {
    const { hostname, port } = new URL(url());
    const proxy = await TcpProxy.to(hostname, Number(port));
    try {
      const connectionString = Object.assign(new URL(url()), { host: `${proxy.host}:${proxy.port}` }).href;
      const { users } = await scratch.open({ connectionString }, { operationTimeoutMs: 1_000 });
      await users.check();
      proxy.silence();
      const waits: Promise<number>[] = [];
      for (let n = 0; n < 16; n++) {
        const started = performance.now();
        const fault = faultOf(users.find(keyOf(addressOf(`user-${n}@example.com`))));
        waits.push(
          fault.then(({ code }) => {
            expect(code).to.equal('store_unavailable');
            return performance.now() - started;
          }),
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(Math.max(...(await Promise.all(waits)))).to.be.below(1_100);
      await proxy.restore();
      expect(await users.find(keyOf(addressOf('user-1@example.com')))).to.equal(undefined);
    } finally {
      await proxy.close();
    }
  });
});
