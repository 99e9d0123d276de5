import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import type { StoredUser, UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { rejection, reserved, written } from '../../../../../sdk/contract/outcomes.ts';
import { engine } from '../../../../support/engines/index.ts';
import { connectionStringOf } from '../../../../support/engines/replica-set.ts';
import { TcpProxy } from '../../../../support/fault-proxy.ts';
import { find, ScratchDatabase } from './scratch-database.ts';

describe('MongoDB: the reply to a write is lost', () => {
  const uri = engine('mongodb');
  let database: ScratchDatabase;
  let proxy: TcpProxy;
  let store: UserStore;

  before(async () => {
    database = new ScratchDatabase(uri(), true);
    const { hostname, port } = new URL(uri());
    proxy = await TcpProxy.to(hostname, Number(port));
    store = await database.open(connectionStringOf(proxy.host, proxy.port));
    await store.check();
  });
  after(async () => {
    await database?.dispose();
    await proxy?.close();
  });

  /** Runs a write whose command, with this text, is applied and whose reply is lost. */
  const withoutReply = async <T>(command: string, write: () => Promise<T>, text = ''): Promise<T> => {
    // BSON: the name of the command, then its text with the length in front.
    const opening = Buffer.from(`${command}\0\x06\0\0\0${database.collectionName}\0`);
    const lost = proxy.loseReply((request) => request.includes(opening) && request.includes(text));
    const outcome = await write();
    await lost;
    return outcome;
  };

  const inserted = async (address: string): Promise<StoredUser> => {
    await store.insert(userOf(address));
    const stored = await find(store, address);
    if (stored === undefined) throw new Error('an inserted user is not found');
    return stored;
  };

  it('inserts a user once, and returns inserted', async () => {
    const user = userOf('inserted@example.com');
    expect(await withoutReply('update', () => store.insert(user))).to.have.property('version');
    expect((await find(store, 'inserted@example.com'))?.user).to.deep.equal(user);
  });

  it('inserts a user with a name once, and returns inserted', async () => {
    const user = userOf('named@example.com');
    const names = [idOf('usr_1')];
    const stored = written(await withoutReply('update', () => store.insert(user, { names })));
    expect(await find(store, 'named@example.com'))
      .to.deep.equal(stored)
      .and.to.include({ names: stored.names });
    expect(stored.names).to.deep.equal(names);
    expect(await withoutReply('update', () => store.insert(userOf('other@example.com'), { names }))).to.deep.equal({
      taken: names[0],
    });
  });

  it('reserves a name and an address once', async () => {
    for (const key of [idOf('usr_2'), keyOf(addressOf('reserved@example.com'))]) {
      const reservation = reserved(await withoutReply('update', () => store.reserve(key)));
      expect(await database.users.countDocuments({ version: reservation.version })).to.equal(1);
    }
  });

  it('is unavailable without retries, also for a user with a name, who may be inserted', async () => {
    const once = await database.open(`${connectionStringOf(proxy.host, proxy.port)}&retryWrites=false`);
    await once.check();
    const names = [idOf('usr_3')];
    const insert = () => once.insert(userOf('once@example.com'), { names });
    // With the address, because a store that was just opened may also write in the background.
    expect(await withoutReply('update', () => rejection(insert()), 'once@example.com')).to.include({
      code: 'store_unavailable',
    });
    expect(await find(store, 'once@example.com')).to.have.deep.property('names', names);
  });

  it('returns taken for a taken address', async () => {
    await inserted('taken@example.com');
    expect(await withoutReply('update', () => store.insert(userOf('taken@example.com')))).to.deep.equal({
      taken: 'taken@example.com',
    });
  });

  it('replaces a user once, and returns replaced', async () => {
    const stored = await inserted('replaced@example.com');
    const next = { ...stored.user, password: 'another' };
    expect(await withoutReply('update', () => store.replace(stored, next))).to.have.property('version');
    expect((await find(store, 'replaced@example.com'))?.user).to.deep.equal(next);
  });

  it('moves a user once, and returns replaced', async () => {
    const stored = await inserted('moved@example.com');
    const next = { ...stored.user, email: { ...stored.user.email, address: addressOf('there@example.com') } };
    expect(await withoutReply('update', () => store.replace(stored, next))).to.have.property('version');
    expect(await find(store, 'moved@example.com')).to.equal(undefined);
    expect((await find(store, 'there@example.com'))?.user).to.deep.equal(next);
  });

  it('returns stale for a stale version', async () => {
    const stored = await inserted('stale@example.com');
    await store.replace(stored, stored.user);
    expect(await withoutReply('update', () => store.replace(stored, stored.user))).to.equal('stale');
  });

  it('removes a user once, and returns removed', async () => {
    const stored = await inserted('removed@example.com');
    expect(await withoutReply('delete', () => store.remove(stored))).to.equal('removed');
    expect(await find(store, 'removed@example.com')).to.equal(undefined);
  });

  it('writes the events of a change once', async () => {
    const { events: queue } = await database.openPorts();
    const event = (id: string) => [{ id, destination: 'lost', time: 1, body: id }];
    const first = userOf('told@example.com');
    expect(await withoutReply('update', () => store.insert(first, { events: event('1') }))).to.have.property('version');
    const second = await find(store, 'told@example.com');
    if (second === undefined) throw new Error('an inserted user is not found');
    expect(await withoutReply('update', () => store.replace(second, first, { events: event('2') }))).to.have.property(
      'version',
    );
    const third = await find(store, 'told@example.com');
    if (third === undefined) throw new Error('a replaced user is not found');
    expect(await withoutReply('update', () => store.remove(third, { events: event('3') }))).to.equal('removed');
    const claimed = await queue?.claim('lost', 10, { now: 1, until: 2 });
    expect(claimed?.map(({ id }) => id).sort()).to.deep.equal(['1', '2', '3']);
  });

  it('finds a user', async () => {
    const stored = await inserted('found@example.com');
    expect(await withoutReply('find', () => find(store, 'found@example.com'))).to.deep.equal(stored);
  });
});

/** A proxy that resets the connection of a write and lets the write arrive later. */
class LateWriteProxy {
  private readonly sockets = new Set<Socket>();
  private matches: ((request: Buffer) => boolean) | undefined;
  private late: { readonly server: Socket; readonly request: Buffer } | undefined;
  private readonly listener = createServer((client) => {
    const server = connect({ host: this.target.hostname, port: Number(this.target.port) });
    let isCut = false;
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
    }
    server.on('data', (reply) => client.write(reply));
    client.on('data', (request) => {
      if (isCut) return;
      isCut = this.matches?.(request) === true;
      if (!isCut) return server.write(request);
      this.matches = undefined;
      this.late = { server, request };
      return client.resetAndDestroy();
    });
  });

  constructor(private readonly target: URL) {}

  async listen(): Promise<number> {
    await once(this.listener.listen(0, '127.0.0.1'), 'listening');
    const address = this.listener.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  delayNext(matches: (request: Buffer) => boolean): void {
    this.late = undefined;
    this.matches = matches;
  }

  /** Resolves with the reply of the server to the late write. */
  async arrive(): Promise<unknown> {
    if (this.late === undefined) throw new Error('no write is late');
    const { server, request } = this.late;
    const replied = once(server, 'data');
    server.write(request);
    return replied;
  }

  close(): void {
    this.listener.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

describe('MongoDB: a write is late, and its repetition found the address or a name taken', () => {
  const uri = engine('mongodb');
  let database: ScratchDatabase;
  let proxy: LateWriteProxy;
  let store: UserStore;

  before(async () => {
    database = new ScratchDatabase(uri(), true);
    proxy = new LateWriteProxy(new URL(uri()));
    store = await database.open(connectionStringOf('127.0.0.1', await proxy.listen()));
    await store.check();
  });
  after(async () => {
    await database?.dispose();
    proxy?.close();
  });

  const holderOf = async (address: string): Promise<StoredUser> => written(await store.insert(userOf(address)));

  it('inserts no user after the address is free again', async () => {
    const holder = await holderOf('late@example.com');
    proxy.delayNext((request) => request.includes('$setOnInsert'));
    expect(await store.insert({ ...holder.user, password: 'late' })).to.deep.equal({ taken: 'late@example.com' });
    await store.remove(holder);
    await proxy.arrive();
    expect(await find(store, 'late@example.com')).to.equal(undefined);
  });

  it('inserts no user after the name is free again', async () => {
    const names = [idOf('usr_late')];
    const holder = written(await store.insert(userOf('holder@example.com'), { names }));
    proxy.delayNext((request) => request.includes('$setOnInsert'));
    expect(await store.insert(userOf('late-name@example.com'), { names })).to.deep.equal({ taken: names[0] });
    await store.remove(holder);
    await proxy.arrive();
    expect(await find(store, 'late-name@example.com')).to.equal(undefined);
  });

  it('moves no user after the address is free again', async () => {
    const [previous, holder] = [await holderOf('stays@example.com'), await holderOf('goal@example.com')];
    proxy.delayNext((request) => request.includes('$set') && request.includes('goal@example.com'));
    expect(await store.replace(previous, holder.user)).to.deep.equal({ taken: 'goal@example.com' });
    await store.remove(holder);
    await proxy.arrive();
    expect(await find(store, 'goal@example.com')).to.equal(undefined);
    expect((await find(store, 'stays@example.com'))?.user).to.deep.equal(previous.user);
  });
});
