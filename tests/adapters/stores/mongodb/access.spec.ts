import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { userOf } from '../../../arbitraries.ts';
import { userStoreContract } from '../../../contract/user-store.ts';
import { privateEngine } from '../../../engines/index.ts';
import { rejection } from '../../../rejection.ts';
import { find, ScratchDatabase } from './scratch-database.ts';

/** Starts a server that lets everybody in, and when that one ends, one on the same data that asks who it is. */
const thenWithAccessControl = 'mongod --bind_ip_all & echo $! > /tmp/first; wait; exec mongod --bind_ip_all --auth';

describe('MongoDB with access control, on a single server', () => {
  const server = privateEngine('mongodb', {
    adjust: (container) => container.withCommand(['sh', '-c', thenWithAccessControl]),
    ready: async (host, port) => `mongodb://${host}:${port}/`,
  });
  const uriOf = (user: string, password: string): string =>
    `mongodb://${user}:${encodeURIComponent(password)}@${server().host}:${server().port}/?authSource=admin`;
  let owner: ScratchDatabase;

  before(async function () {
    this.timeout(30_000);
    const open = new MongoClient(server().endpoint);
    const admin = open.db('admin');
    await admin.command({ createUser: 'owner', pwd: 'p@ss/word', roles: ['root'] });
    await admin.command({ createUser: 'reader', pwd: 'secret', roles: ['readAnyDatabase'] });
    await admin.command({ createUser: 'nobody', pwd: 'secret', roles: [] });
    await open.close();
    await server().run('sh', '-c', 'kill $(cat /tmp/first)');
    owner = new ScratchDatabase(uriOf('owner', 'p@ss/word'));
    await owner.users.countDocuments();
  });
  after(() => owner?.abandon());

  userStoreContract('mongodb on a single server', async () => {
    const database = new ScratchDatabase(uriOf('owner', 'p@ss/word'));
    return { store: await database.open(), dispose: () => database.dispose() };
  });

  const refusals = {
    'a wrong password': ['owner', 'wrong', /authentication failed \(AuthenticationFailed 18\)/],
    'an unknown user': ['somebody', 'secret', /authentication failed \(AuthenticationFailed 18\)/],
    'a user without permissions': ['nobody', 'secret', /may not do that \(Unauthorized 13\)/],
  } as const;
  for (const [what, [user, password, reason]] of Object.entries(refusals)) {
    it(`rejects every call with ${what}, and says so in a line`, async () => {
      const store = await owner.open(uriOf(user, password));
      const calls = [find(store, 'ada@example.com'), store.insert(userOf('ada@example.com')), store.check()];
      for (const fault of await Promise.all(calls.map(rejection))) {
        expect(fault).to.include({ code: 'store_rejected' });
        expect(fault).to.have.property('message').that.matches(reason).and.does.not.include('secret');
      }
    });
  }

  it('is not well with a user that may only read', async () => {
    await (await owner.open()).insert(userOf('read@example.com'));
    const store = await owner.open(uriOf('reader', 'secret'));
    expect(await find(store, 'read@example.com')).not.to.equal(undefined);
    expect(await rejection(store.check())).to.include({ code: 'store_rejected' });
    expect(await rejection(store.insert(userOf('write@example.com')))).to.include({ code: 'store_rejected' });
  });
});
