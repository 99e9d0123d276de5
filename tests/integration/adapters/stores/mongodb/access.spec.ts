import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { privateEngine } from '../../../../support/engines/index.ts';
import { eventually } from '../../../../support/eventually.ts';
import { TcpProxy } from '../../../../support/fault-proxy.ts';
import { find, ScratchDatabase } from './scratch-database.ts';

/** Starts a server without access control, and after its end one with access control on the same data. */
const thenWithAccessControl = 'mongod --bind_ip_all & echo $! > /tmp/first.pid; wait; exec mongod --bind_ip_all --auth';

/** The minimum privileges of the service, by the name of a role. */
const minimalRoles = {
  maker: ['find', 'insert', 'update', 'remove', 'createIndex'],
  // If an administrator has created the unique index.
  guest: ['find', 'insert', 'update', 'remove', 'listIndexes'],
};

describe('MongoDB with access control, on a single server', () => {
  const server = privateEngine('mongodb', {
    adjust: (container) => container.withCommand(['sh', '-c', thenWithAccessControl]),
    ready: async (host, port) => `mongodb://${host}:${port}/`,
  });
  const uriOf = (user: string, password: string): string =>
    `mongodb://${user}:${encodeURIComponent(password)}@${server().host}:${server().port}/?authSource=admin`;
  let owner: ScratchDatabase;

  before(async function () {
    this.timeout(90_000);
    const open = new MongoClient(server().endpoint);
    const admin = open.db('admin');
    await admin.command({ createUser: 'owner', pwd: 'p@ss/word', roles: ['root'] });
    await admin.command({ createUser: 'reader', pwd: 'secret', roles: ['readAnyDatabase'] });
    await admin.command({ createUser: 'unprivileged', pwd: 'secret', roles: [] });
    owner = new ScratchDatabase(uriOf('owner', 'p@ss/word'));
    const { databaseName: db, collectionName: collection } = owner;
    await admin.command({ createUser: 'clerk', pwd: 'secret', roles: [{ role: 'readWrite', db }] });
    for (const [role, actions] of Object.entries(minimalRoles)) {
      await admin.command({ createRole: role, roles: [], privileges: [{ resource: { db, collection }, actions }] });
      await admin.command({ createUser: role, pwd: 'secret', roles: [role] });
    }
    await open.close();
    await server().run('sh', '-c', 'kill $(cat /tmp/first.pid)');
    // The second server may not listen yet, and connections to the first one may break.
    await eventually(() => owner.users.countDocuments(), 60_000);
  });
  after(() => owner?.abandon());

  const open = async () => {
    const database = new ScratchDatabase(uriOf('owner', 'p@ss/word'));
    return { store: await database.openPorts(), dispose: () => database.dispose() };
  };
  // Other tests leave stores open until the end.
  userStoreContract('mongodb on a single server', open, { countsConnections: false });

  for (const user of ['clerk', ...Object.keys(minimalRoles)]) {
    it(`works with a user whose only role is ${user === 'clerk' ? 'readWrite' : user}`, async () => {
      await owner.users.createIndex({ email: 1 }, { unique: true });
      const store = await owner.open(uriOf(user, 'secret'));
      const address = `${user}@example.com`;
      expect(await store.check()).to.match(/is read and written/);
      expect(await store.insert(userOf(address))).to.have.property('version');
      const stored = await find(store, address);
      expect(stored && (await store.replace(stored, userOf(address)))).to.have.property('version');
      const replaced = await find(store, address);
      expect(replaced && (await store.remove(replaced))).to.equal('removed');
    });
  }

  it('creates its collection and its index with a user that may create indexes', async () => {
    await owner.users.drop();
    const store = await owner.open(uriOf('maker', 'secret'));
    expect(await store.insert(userOf('ada@example.com'))).to.have.property('version');
    expect(await store.insert(userOf('ada@example.com'))).to.deep.equal({ taken: 'ada@example.com' });
  });

  it('reports that a single server repeats no write; a write whose reply is lost is unavailable', async () => {
    const proxy = await TcpProxy.to(server().host, server().port);
    const uri = uriOf('owner', 'p@ss/word').replace(`:${server().port}/`, `:${proxy.port}/`);
    try {
      const store = await owner.open(uri);
      expect(await store.check()).to.match(
        /a write whose reply is lost gets 503, because a single server repeats none$/,
      );
      const lost = proxy.loseReply((request) => request.includes('lost@example.com'));
      expect(await rejection(store.insert(userOf('lost@example.com')))).to.include({ code: 'store_unavailable' });
      await lost;
      expect((await find(store, 'lost@example.com'))?.user).to.deep.equal(userOf('lost@example.com'));
    } finally {
      await proxy.close();
    }
  });

  const refusals = {
    'a wrong password': ['owner', 'wrong', /authentication failed: .+ \(AuthenticationFailed 18\)/],
    'an unknown user': ['unknown', 'secret', /authentication failed: .+ \(AuthenticationFailed 18\)/],
    'a user without permissions': [
      'unprivileged',
      'secret',
      /needs a user with the role readWrite .+ \(Unauthorized 13\)/,
    ],
  } as const;
  for (const [what, [user, password, reason]] of Object.entries(refusals)) {
    it(`rejects every call with ${what} and a message that names the reason`, async () => {
      const store = await owner.open(uriOf(user, password));
      const calls = [find(store, 'ada@example.com'), store.insert(userOf('ada@example.com')), store.check()];
      for (const fault of await Promise.all(calls.map(rejection))) {
        expect(fault).to.include({ code: 'store_rejected' });
        expect(fault).to.have.property('message').that.matches(reason).and.does.not.include('secret');
      }
    });
  }

  it('is unhealthy with a user that may only read', async () => {
    await (await owner.open()).insert(userOf('read@example.com'));
    const store = await owner.open(uriOf('reader', 'secret'));
    expect(await find(store, 'read@example.com')).not.to.equal(undefined);
    expect(await rejection(store.check())).to.include({ code: 'store_rejected' });
    expect(await rejection(store.insert(userOf('write@example.com')))).to.include({ code: 'store_rejected' });
  });
});
