import { mock } from 'node:test';
import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { MemoryUserStore } from '../../../../adapters/stores/memory/index.ts';
import {
  isTaken,
  type Reservation,
  reservationMs,
  type StoredUser,
  type Taken,
  type WriteOptions,
} from '../../../../application/ports/user-store.ts';
import { anyCaller } from '../../../../application/writing/authorization.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import type { UserKey } from '../../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { InMemoryUserStore } from '../../../../sdk/contract/in-memory-user-store.ts';
import { nameOf } from '../../../../sdk/contract/named-users.ts';
import { rejection, reserved, rightOf, written } from '../../../../sdk/contract/outcomes.ts';

/** Another process acts right after a write was refused. */
class ContendedStore extends InMemoryUserStore {
  act: () => Promise<unknown> = async () => {};
  /** How many refused writes are followed by an action. */
  actions = 0;
  /** How many writes were tried. */
  writes = 0;

  override async insert(user: User, options?: WriteOptions): Promise<StoredUser | Taken> {
    return this.followed(await super.insert(user, options));
  }

  override async replace(previous: StoredUser, next: User, options?: WriteOptions) {
    return this.followed(await super.replace(previous, next, options));
  }

  private async followed<Outcome extends StoredUser | Taken | string>(outcome: Outcome): Promise<Outcome> {
    this.writes++;
    if (typeof outcome === 'object' && 'taken' in outcome && this.actions-- > 0) await this.act();
    return outcome;
  }
}

const user = userOf('jane@example.com');
const key = keyOf(addressOf('jane@example.com'));
const username = nameOf('jane');
const unique = [{ name: 'username', fold: (value: unknown) => (typeof value === 'string' ? value : undefined) }];

/** A user with a unique property. */
const named = (address: string, text: string): User =>
  userOf(address, { properties: asProperties(`{"username":"${text}"}`) });

describe('SettlingStore', () => {
  describe('writes of a reserved key', () => {
    const opened = async (timeoutMs?: number) => {
      const store = new ContendedStore();
      const users = new SettlingStore(store.ports, unique, timeoutMs);
      const previous = written(await store.insert(userOf('other@example.com')));
      const jane = named('jane@example.com', 'jane');
      await store.reserve(key);
      await store.reserve(username);
      store.writes = 0;
      const insert = () => users.insert(jane, [], performance.now());
      const move = () => users.replace(previous, jane, [], performance.now());
      return { store, previous, insert, move };
    };
    type Opened = Awaited<ReturnType<typeof opened>>;

    const writes = { insert: ({ insert }: Opened) => insert(), move: ({ move }: Opened) => move() };
    for (const [name, write] of Object.entries(writes)) {
      it(`give the address and the name to a user: ${name}`, async () => {
        const test = await opened();
        const stored = written(await write(test));
        expect(stored.names).to.deep.equal([username]);
        expect(await test.store.find(key)).to.deep.equal(stored);
        expect(test.store.writes, 'the writes that were tried').to.equal(3);
      });

      it(`give them to a user while settled reads renew the reservations: ${name}`, async () => {
        const test = await opened();
        test.store.actions = 2;
        test.store.act = () => Promise.all([test.store.reserve(key), test.store.reserve(username)]);
        expect(await write(test)).to.have.property('version');
      });

      it(`report a key that another user gets meanwhile: ${name}`, async () => {
        const test = await opened();
        test.store.actions = 1;
        test.store.act = async () => {
          const reservations = [reserved(await test.store.reserve(username))];
          await test.store.insert(userOf('faster@example.com'), { names: [username], reservations });
        };
        expect(await write(test)).to.deep.equal({ taken: username });
        expect(await test.store.find(key)).to.equal(undefined);
      });

      it(`do not report a key as taken that no user has, however often it is reserved: ${name}`, async () => {
        const test = await opened();
        test.store.actions = Number.POSITIVE_INFINITY;
        test.store.act = () => test.store.reserve(key);
        expect(await rejection(write(test))).to.include({ code: 'store_unavailable' });
      });

      it(`end with the timeout of their operation: ${name}`, async () => {
        const test = await opened(0);
        expect(await rejection(write(test))).to.include({ code: 'timed_out' });
        expect(await test.store.find(key)).to.equal(undefined);
      });
    }
  });

  it('writes the names of a user, and keeps them in a settled read', async () => {
    const store = new InMemoryUserStore();
    const users = new SettlingStore(store.ports, unique);
    const inserted = written(await users.insert(named('jane@example.com', 'jane'), [], performance.now()));
    expect(await users.find(username)).to.deep.equal(inserted);
    expect(rightOf(await users.settle(username, anyCaller)).names).to.deep.equal([username]);
    const found = await users.find(key);
    if (found === undefined) throw new Error('the user is gone');
    const renamed = await users.replace(found, named('jane@example.com', 'joan'), [], performance.now());
    expect(written(renamed).names).to.deep.equal([nameOf('joan')]);
    expect(await users.remove(written(renamed), [])).to.equal('removed');
    expect(await store.reserve(nameOf('joan'))).to.not.equal('taken');
  });

  it('leaves a name that a user should have had before to the command that assigns it', async () => {
    const store = new InMemoryUserStore();
    const users = new SettlingStore(store.ports, unique);
    const holder = written(await users.insert(named('first@example.com', 'jane'), [], performance.now()));
    // From before the configuration, with a value that another user has got since.
    const before = written(await store.insert(named('jane@example.com', 'jane')));
    const next = { ...before.user, password: 'another' };
    const changed = written(await users.replace(before, next, [], performance.now()));
    expect(changed.names).to.equal(undefined);
    expect(await users.find(username)).to.deep.equal(holder);
    const renamed = await users.replace(changed, named('jane@example.com', 'joan'), [], performance.now());
    expect(written(renamed).names).to.deep.equal([nameOf('joan')]);
    const back = await users.replace(written(renamed), next, [], performance.now());
    expect(back).to.deep.equal({ taken: username });
  });

  it('settles nothing where another writer is always faster', async () => {
    class ChangedStore extends InMemoryUserStore {
      override async find(read: EmailKey): Promise<StoredUser | undefined> {
        const found = await super.find(read);
        if (found !== undefined) await this.replace(found, found.user);
        return found;
      }
    }
    const store = new ChangedStore();
    await store.insert(user);
    const users = new SettlingStore(store.ports);
    expect(await rejection(users.settle(key, anyCaller))).to.include({ code: 'store_unavailable' });
  });

  it('finds a user who was created between the read and the reservation', async () => {
    class FasterStore extends InMemoryUserStore {
      override async reserve(wanted: UserKey): Promise<Reservation | 'taken'> {
        await this.insert(user);
        return super.reserve(wanted);
      }
    }
    const store = new FasterStore();
    const settled = await new SettlingStore(store.ports).settle(key, anyCaller);
    expect(rightOf(settled).user.email).to.deep.equal(user.email);
  });
});

describe('a reservation in memory', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('ends 15 minutes after the last settled read', async () => {
    const store = new MemoryUserStore();
    const users = new SettlingStore(store.ports);
    const settle = async () => expect(isLeft(await users.settle(key, anyCaller))).to.equal(true);
    const isReserved = async (): Promise<boolean> => {
      const outcome = await store.insert(user);
      return isTaken(outcome) && outcome.reservation !== undefined;
    };
    for (const _ of ['made', 'renewed']) {
      await settle();
      mock.timers.tick(reservationMs - 1);
      expect(await isReserved()).to.equal(true);
    }
    mock.timers.tick(1);
    expect(await isReserved()).to.equal(false);
    expect((await store.find(key))?.user).to.deep.equal(user);
  });
});
