import { DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { left, right } from 'fp-ts/lib/Either.js';
import { type Item, keyItem } from '../../../../../adapters/stores/dynamodb/items.ts';
import type { Fault } from '../../../../../application/fault.ts';
import { isTaken, type StorePorts, type Taken, type UserStore } from '../../../../../application/ports/user-store.ts';
import { SettlingStore } from '../../../../../application/writing/settling-store.ts';
import { type EmailKey, keyOf } from '../../../../../domain/email-address.ts';
import { failure } from '../../../../../domain/failure.ts';
import type { User, UserId } from '../../../../../domain/user.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf, nameOf, renamed } from '../../../../../sdk/contract/named-users.ts';
import { faultOf, isWritten, written } from '../../../../../sdk/contract/outcomes.ts';
import { readNames } from '../../../../support/names/dynamodb.ts';
import type { FreshTable } from './fresh-table.ts';
import { cancelled, type InjectedFault, lostReply, reset } from './http-fault-proxy.ts';
import { useStoreFixture } from './store-fixture.ts';

const id = idOf('usr_1');
const [jane, joan] = [nameOf('jane'), nameOf('joan')];
const ada = userOf('ada@example.com');
const moved = renamed(ada, 'lovelace@example.com');
const [adaKey, movedKey] = [keyOf(ada.email.address), keyOf(moved.email.address)];

const free = { users: new Map(), entries: new Map() };

describe('names in DynamoDB', () => {
  const fixture = useStoreFixture();
  /** The ports of another process, behind the proxy. */
  const open = (): Promise<StorePorts> => fixture().table.openPorts({ endpoint: fixture().proxy.endpoint });
  const stored = () => readNames(fixture().table.client, fixture().table.name);
  const raw = async (key: Parameters<typeof keyItem>[0]): Promise<Item | undefined> => {
    const { client, name: TableName } = fixture().table;
    return (await client.send(new GetItemCommand({ TableName, Key: keyItem(key), ConsistentRead: true }))).Item;
  };
  const seenSince = (count: number) =>
    fixture()
      .proxy.seen.slice(count)
      .map(({ operation }) => operation);

  const expectStored = async (holder: EmailKey, ...names: readonly string[]): Promise<void> => {
    expect(await stored()).to.deep.equal({
      users: new Map([[holder, names]]),
      entries: new Map(names.map((name) => [name, holder])),
    });
  };

  it('are a list in the item of the user, and an entry each that listings of all versions leave out', async () => {
    const { store } = fixture();
    const { version } = written(await store.insert(ada, { names: [id, jane] }));
    expect((await raw(adaKey))?.names).to.deep.equal({ L: [{ S: 'id usr_1' }, { S: 'property username jane' }] });
    const entry = { email: { S: 'check id usr_1' }, holder: { S: 'ada@example.com' }, version: { S: version } };
    expect(await raw(id)).to.deep.equal(entry);
    expect(await raw(jane))
      .to.have.property('email')
      .that.deep.equals({ S: 'check property username jane' });
  });

  it('are absent from the item of a user without any', async () => {
    const { store } = fixture();
    await store.replace(written(await store.insert(ada, { names: [id] })), ada);
    expect(await raw(adaKey)).to.not.have.property('names');
  });

  it('are unreadable together with their user if they are damaged', async () => {
    const { store, table } = fixture();
    await store.insert(ada, { names: [id] });
    for (const names of [{ S: 'id usr_1' }, { L: [{ S: 'usr_1' }] }, { L: [{ N: '1' }] }]) {
      const Item = { ...(await raw(adaKey)), names };
      await table.client.send(new PutItemCommand({ TableName: table.name, Item }));
      expect(await faultOf(store.find(adaKey))).to.include({ code: 'store_rejected', record: adaKey });
    }
  });

  it('raise the format of the table before the first one is written, where they are configured', async () => {
    const { table, other } = fixture();
    const format = async () => {
      const Key = { email: { S: 'check format' } };
      return (await table.client.send(new GetItemCommand({ TableName: table.name, Key }))).Item?.format?.N;
    };
    await other.check();
    expect(await format()).to.equal('1');
    const { users: store } = await table.openPorts({ keepsNames: true });
    await store.insert(userOf('no-name@example.com'));
    expect(await format()).to.equal('1');
    await store.insert(ada, { names: [id] });
    expect(await format()).to.equal('2');
    await (await table.open()).check();
    expect(await format()).to.equal('2');
  });

  describe('cost', () => {
    /** Write units of items of up to 1 KB: twice as many in a transaction. */
    const unitsOf = async (write: (store: UserStore) => Promise<unknown>): Promise<number> => {
      const { users: store } = await open();
      // Marks the table before the first name is written.
      await store.check();
      const { seen } = fixture().proxy;
      const count = seen.length;
      await write(store);
      return seen.slice(count).reduce((sum, { operation, body }) => {
        if (operation === 'TransactWriteItems') return sum + 2 * (body.TransactItems as unknown[]).length;
        return sum + (operation === 'PutItem' ? 1 : 0);
      }, 0);
    };

    for (const [names, units] of [
      [[], { create: 2, update: 1, move: 4, removal: 2 }],
      [[id], { create: 4, update: 1, move: 6, removal: 4 }],
      [[id, jane], { create: 6, update: 1, move: 8, removal: 6 }],
    ] as const)
      it(`so many write units with ${names.length} names`, async () => {
        const { other } = fixture();
        const find = async ({ email }: User) => written((await other.find(keyOf(email.address))) ?? 'absent');
        expect({
          create: await unitsOf((store) => store.insert(ada, { names })),
          update: await unitsOf(async (store) => store.replace(await find(ada), ada, { names })),
          move: await unitsOf(async (store) => store.replace(await find(ada), moved, { names })),
          removal: await unitsOf(async (store) => store.remove(await find(moved))),
        }).to.deep.equal(units);
        expect(await stored()).to.deep.equal(free);
      });

    it('four write units when one is added, and six when another takes its place', async () => {
      const { other } = fixture();
      const first = written(await other.insert(ada, { names: [id] }));
      expect(await unitsOf((store) => store.replace(first, ada, { names: [id, jane] }))).to.equal(4);
      const second = written((await other.find(adaKey)) ?? 'absent');
      expect(await unitsOf((store) => store.replace(second, ada, { names: [id, joan] }))).to.equal(6);
      await expectStored(adaKey, id, joan);
    });

    it('two reads to find a user, and one to find none', async () => {
      const { store, proxy } = fixture();
      const { names } = await open();
      await store.insert(ada, { names: [id] });
      const count = proxy.seen.length;
      expect((await names?.find(id))?.user).to.deep.equal(ada);
      expect(await names?.find(jane)).to.equal(undefined);
      expect(seenSince(count)).to.deep.equal(['GetItem', 'GetItem', 'GetItem']);
      for (const { body } of proxy.seen.slice(count)) expect(body.ConsistentRead).to.equal(true);
    });

    it('two reads also to find no user, where unknown users are hidden', async () => {
      const { table, proxy, store } = fixture();
      const { names } = await table.openPorts({ endpoint: proxy.endpoint, hideUnknownUsers: true });
      await store.insert(ada, { names: [id] });
      await store.reserve(joan);
      for (const name of [id, jane, joan]) {
        const count = proxy.seen.length;
        await names?.find(name);
        expect(seenSince(count), name).to.deep.equal(['GetItem', 'GetItem']);
      }
    });
  });

  describe('of a user who changes between the two reads of a search', () => {
    const during = (change: () => Promise<unknown>): readonly InjectedFault[] => [
      async (forward) => forward(),
      async (forward) => {
        await change();
        return forward();
      },
    ];

    it('find the user at the new address', async () => {
      const { other, proxy } = fixture();
      const { names } = await open();
      const first = written(await other.insert(ada, { names: [id] }));
      proxy.next(during(() => other.replace(first, moved, { names: [id] })));
      expect((await names?.find(id))?.user).to.deep.equal(moved);
    });

    it('find the new holder of the name, and no user after a removal', async () => {
      const { other, proxy } = fixture();
      const { names } = await open();
      const first = written(await other.insert(ada, { names: [id] }));
      proxy.next(
        during(async () => {
          await other.remove(first);
          await other.insert(ada);
          await other.insert(moved, { names: [id] });
        }),
      );
      expect((await names?.find(id))?.user).to.deep.equal(moved);
      const second = written((await other.find(movedKey)) ?? 'absent');
      proxy.next(during(() => other.remove(second)));
      expect(await names?.find(id)).to.equal(undefined);
    });

    it('throw store_unavailable after some attempts while the user keeps moving', async () => {
      const { other, proxy } = fixture();
      const { names } = await open();
      let current = written(await other.insert(ada, { names: [id] }));
      const move = async () => {
        const next = keyOf(current.user.email.address) === adaKey ? moved : ada;
        current = written(await other.replace(current, next, { names: [id] }));
      };
      proxy.next(
        Array.from(
          { length: 12 },
          (_, n): InjectedFault =>
            async (forward) => {
              if (n % 2 === 1) await move();
              return forward();
            },
        ),
        'GetItem',
      );
      expect(await faultOf(names?.find(id) ?? Promise.resolve())).to.include({ code: 'store_unavailable' });
    });
  });

  describe('that a former version has left without their user', () => {
    /** Leaves the entry of an id behind. */
    const leave: Readonly<Record<string, (table: FreshTable) => Promise<unknown>>> = {
      'by a removal': ({ client, name: TableName }) =>
        client.send(new DeleteItemCommand({ TableName, Key: keyItem(adaKey) })),
      'by a change': async ({ client, name: TableName }) => {
        const { names: _, ...Item } = (await raw(adaKey)) ?? {};
        await client.send(new PutItemCommand({ TableName, Item: { ...Item, version: { S: 'former' } } }));
      },
    };
    for (const [how, make] of Object.entries(leave)) {
      const orphaned = async () => {
        const { table, other } = fixture();
        await other.insert(ada, { names: [id] });
        await make(table);
        const ports = await open();
        return { ports, users: new SettlingStore(ports) };
      };

      it(`${how} are those of no user, also in a settled read`, async () => {
        const { ports, users } = await orphaned();
        expect(await ports.names?.find(id)).to.equal(undefined);
        const unknown = await users.settle(id, async (user) => (user ? right(user) : left(failure('user_not_found'))));
        expect(unknown).to.have.nested.property('left.code', 'user_not_found');
        expect((await stored()).entries).to.deep.equal(new Map([[id, undefined]]));
      });

      it(`${how} are taken by one of several users who want them`, async () => {
        const { users, ports } = await orphaned();
        const outcomes = await Promise.all(
          [1, 2, 3, 4].map((n) =>
            users.insert(userOf(`${n}@example.com`, { id: 'usr_1' as UserId }), [], performance.now()),
          ),
        );
        const [winner, ...others] = outcomes.filter(isWritten);
        expect(others).to.deep.equal([]);
        for (const outcome of outcomes) if (outcome !== winner) expect(outcome).to.deep.equal({ taken: id });
        expect(await ports.names?.find(id)).to.deep.equal(winner);
      });

      it(`${how} are given to a user again by a change`, async () => {
        const { users, ports } = await orphaned();
        const user = (await ports.users.find(adaKey)) ?? written(await ports.users.insert(ada));
        const next = written(await users.replace(user, user.user, [], performance.now(), [id]));
        expect(await ports.names?.find(id)).to.deep.equal(next);
        await expectStored(adaKey, id);
      });
    }

    it('are not taken from the user who has got them since they were read', async () => {
      const { table, other, proxy, store } = fixture();
      await other.insert(ada, { names: [id] });
      await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: keyItem(adaKey) }));
      const refused = await store.insert(moved, { names: [id] });
      if (!isTaken(refused) || refused.reservation === undefined) throw new Error('the entry is in use');
      const reservations = [refused.reservation];
      await other.insert(ada, { names: [id], reservations });
      expect(await store.insert(moved, { names: [id], reservations })).to.deep.equal({ taken: id });
      expect(await store.reserve(id)).to.equal('taken');
      expect(proxy.seen.filter(({ operation }) => operation === 'TransactGetItems')).to.have.length(3);
      await expectStored(adaKey, id);
    });
  });

  describe('of a write whose reply is lost', () => {
    const forgotten = (): InjectedFault => {
      const { other } = fixture();
      return async () => {
        const version = { S: written((await other.find(adaKey)) ?? 'absent').version };
        const entry = {
          Code: 'ConditionalCheckFailed',
          Item: { email: { S: 'check id usr_1' }, holder: { S: adaKey } },
        };
        const reasons = [{ Code: 'ConditionalCheckFailed', Item: { email: { S: adaKey }, version } }, entry];
        const error = { __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException' };
        return { status: 400, text: JSON.stringify({ ...error, message: '', CancellationReasons: reasons }) };
      };
    };

    it('are taken by an insert that succeeds, also if the engine no longer recognizes its token', async () => {
      const { proxy, store } = fixture();
      proxy.next([lostReply(), reset], 'TransactWriteItems');
      expect(await store.insert(ada, { names: [id, jane] })).to.deep.include({ names: [id, jane] });
      await expectStored(adaKey, id, jane);
      await store.remove(written((await store.find(adaKey)) ?? 'absent'));
      proxy.next([lostReply(), forgotten()], 'TransactWriteItems');
      expect(await store.insert(ada, { names: [id] })).to.deep.include({ names: [id] });
      await expectStored(adaKey, id);
    });

    it('are not taken again by an insert of a user who was removed since', async () => {
      const { proxy, store, other } = fixture();
      const remove = async () => other.remove(written((await other.find(adaKey)) ?? 'absent'));
      proxy.next([lostReply(remove)], 'TransactWriteItems');
      expect(await store.insert(ada, { names: [id] })).to.have.property('version');
      expect(await stored()).to.deep.equal(free);
    });

    it('are changed, moved and given back once', async () => {
      const { proxy, store } = fixture();
      const first = written(await store.insert(ada, { names: [id, jane] }));
      proxy.next([lostReply(), reset], 'TransactWriteItems');
      const second = written(await store.replace(first, ada, { names: [id, joan] }));
      await expectStored(adaKey, id, joan);
      proxy.next([lostReply(), reset], 'TransactWriteItems');
      const third = written(await store.replace(second, moved, { names: [id, joan] }));
      await expectStored(movedKey, id, joan);
      proxy.next([lostReply(), reset], 'TransactWriteItems');
      expect(await store.remove(third)).to.equal('removed');
      expect(await stored()).to.deep.equal(free);
    });

    it('are `store_unavailable` instead of taken while an earlier attempt may be applied', async () => {
      const { proxy, store, other } = fixture();
      const holder = written(await other.insert(moved, { names: [id] }));
      let arrive: (() => Promise<unknown>) | undefined;
      const late: InjectedFault = async (forward) => {
        arrive = forward;
        return 'reset';
      };
      proxy.next([late], 'TransactWriteItems');
      expect(await faultOf(store.insert(ada, { names: [id] }))).to.include({ code: 'store_unavailable' });
      await other.remove(holder);
      await arrive?.();
      await expectStored(adaKey, id);
    });
  });

  it('do not hide that another user has the address, while a transaction holds that', async () => {
    const { proxy, store, other } = fixture();
    await other.insert(ada, { names: [id] });
    proxy.next([cancelled('TransactionConflict', 'ConditionalCheckFailed')], 'TransactWriteItems');
    expect(await store.insert(ada, { names: [id] })).to.deep.equal({ taken: adaKey });
    expect(proxy.seen.filter(({ operation }) => operation === 'TransactWriteItems')).to.have.length(2);
  });

  it('have exactly one holder after 64 concurrent inserts of one id, of which many lose their replies', async () => {
    const { proxy, store, other } = fixture();
    let count = 0;
    proxy.every(async (forward) => {
      count++;
      if (count % 5 === 0) return 'reset';
      const reply = await forward();
      return count % 3 === 0 ? 'reset' : reply;
    });
    const outcome = async (n: number): Promise<unknown> =>
      (n % 2 === 0 ? store : other)
        .insert(userOf(`taker-${n}@example.com`), { names: [id, nameOf(`taker ${n}`)] })
        .catch((): 'unknown' => 'unknown');
    const outcomes = await Promise.all(Array.from({ length: 64 }, (_, n) => outcome(n)));
    const isTakenId = (one: unknown): boolean =>
      typeof one === 'object' && one !== null && (one as Taken).taken === id && !('reservation' in one);
    const winners = outcomes.filter((one) => one !== 'unknown' && !isTakenId(one));
    const { users, entries } = await stored();
    expect([...users.keys()]).to.have.length(1);
    const [[holder, held] = []] = users;
    expect(entries).to.deep.equal(new Map(held?.map((name) => [name, holder])));
    expect(winners.length).to.be.below(2);
    for (const winner of winners) expect(winner).to.have.property('names').that.deep.equals(held);
  });

  it('are never reported as absent while their user moves to and fro, and swaps another name', async () => {
    const { store } = fixture();
    const { names } = await open();
    let current = written(await store.insert(ada, { names: [id, jane] }));
    let isOver = false;
    const seen = new Set<unknown>();
    const watch = async (): Promise<void> => {
      while (!isOver)
        // The moves follow each other so closely that a search may have to give up.
        seen.add(
          await names?.find(id).then(
            (found) => found?.user.email.address,
            (fault: Fault) => fault.code,
          ),
        );
    };
    const watchers = [watch(), watch(), watch()];
    const hasSeenBoth = (): boolean => seen.has(adaKey) && seen.has(movedKey);
    // An even number, so that the user is back in the end.
    for (let round = 0; round < 20 || round % 2 === 1 || (!hasSeenBoth() && round < 400); round++) {
      const next = await store.replace(current, round % 2 === 0 ? moved : ada, {
        names: [id, round % 2 === 0 ? joan : jane],
      });
      expect(next).to.satisfy(isWritten);
      current = written(next);
    }
    isOver = true;
    await Promise.all(watchers);
    seen.delete('store_unavailable');
    expect([...seen].sort()).to.deep.equal([adaKey, movedKey]);
    await expectStored(adaKey, id, jane);
  });
});
