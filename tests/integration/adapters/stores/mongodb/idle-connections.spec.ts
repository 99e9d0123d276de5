import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { idleOptions } from '../../../../../adapters/stores/mongodb/mongodb-connection.ts';
import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../../sdk/contract/arbitraries.ts';
import { engine } from '../../../../support/engines/index.ts';
import { eventually } from '../../../../support/eventually.ts';
import { TcpProxy } from '../../../../support/fault-proxy.ts';
import { ScratchDatabase } from './scratch-database.ts';

const maxIdleTimeOf = (connectionString: string): number =>
  new MongoClient(connectionString, idleOptions(connectionString)).options.maxIdleTimeMS;

describe('connections to MongoDB after a burst', () => {
  const uri = engine('mongodb');
  let proxy: TcpProxy;
  let database: ScratchDatabase;
  let store: UserStore;
  before(async () => {
    const { hostname, port, host } = new URL(uri());
    proxy = await TcpProxy.to(hostname, Number(port));
    database = new ScratchDatabase(uri());
    const throughProxy = uri().replace(host, `${proxy.host}:${proxy.port}`);
    store = await database.open(`${throughProxy}&maxIdleTimeMS=200`);
  });
  after(async () => {
    await database.dispose();
    await proxy.close();
  });

  it('are closed once they were not used for maxIdleTimeMS', async () => {
    const find = () => store.find(keyOf(addressOf('jane@example.com')));
    await find();
    // The driver opens two connections at a time.
    proxy.delay(50);
    const burst: Promise<unknown>[] = [];
    for (let count = 0; count < 40; count++) {
      burst.push(find());
      // Reads of one turn of the event loop share a connection.
      await setImmediate();
    }
    await Promise.all(burst);
    expect(proxy.connections).to.be.greaterThan(8);
    proxy.delay(0);
    // Two connections watch the server.
    await eventually(async () => expect(proxy.connections).to.be.lessThan(5), 10_000);
    expect(await find()).to.equal(undefined);
  });

  it('are closed after a minute by default, and otherwise when the connection string says', () => {
    expect(maxIdleTimeOf('mongodb://db.example.com')).to.equal(60_000);
    expect(maxIdleTimeOf('mongodb://db.example.com/?replicaSet=rs0&maxidletimems=5000')).to.equal(5_000);
    expect(maxIdleTimeOf('mongodb://db.example.com/?maxIdleTimeMS=0')).to.equal(0);
  });
});
