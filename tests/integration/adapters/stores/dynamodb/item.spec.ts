import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { asProperties, userJson } from '../../../../../adapters/kit/user-json/user-writer.ts';
import type { Item } from '../../../../../adapters/stores/dynamodb/items.ts';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import { maxUserBytes } from '../../../../../domain/user-limits.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { useStoreFixture } from './store-fixture.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** DynamoDB's limit, 400 KB (developer guide, "Quotas"). */
const maxItemBytes = 400 * 1024;

/**
 * The size of an item by DynamoDB's rules (developer guide, "Item sizes and formats"); a number has at most 21 bytes.
 */
const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, { S, N }]) => {
    const value = S !== undefined ? Buffer.byteLength(S) : N !== undefined ? 21 : 1;
    return sum + Buffer.byteLength(name) + value;
  }, 0);

describe('the item of a user in DynamoDB', () => {
  const fixture = useStoreFixture();

  const raw = async (user: User): Promise<Item> => {
    const { table } = fixture();
    const Key = { email: { S: keyOf(user.email.address) } };
    const { Item } = await table.client.send(new GetItemCommand({ TableName: table.name, Key, ConsistentRead: true }));
    return Item ?? {};
  };

  it('is listed as unreadable without its address and password', async () => {
    const { table } = fixture();
    const { users: store, listing } = await table.openPorts();
    for (const name of ['ada', 'bea']) await store.insert(userOf(`${name}@example.com`));
    const Key = { email: { S: 'ada@example.com' } };
    const UpdateExpression = 'REMOVE address, password';
    await table.client.send(new UpdateItemCommand({ TableName: table.name, Key, UpdateExpression }));
    const page = await listing?.list({ ...everyUser, limit: 10, after: undefined });
    expect(page?.users.map(({ email }) => email.address)).to.deep.equal(['bea@example.com']);
    expect(page?.unreadable?.map(({ record }) => record)).to.deep.equal(['ada@example.com']);
  });

  it('has the folded address as its key, and the properties as one text', async () => {
    const { store } = fixture();
    const user = userOf('Ada@Example.com', { lastUpdateTime: 2 ** 53 - 1, properties: asProperties('{"a": [1.0]}') });
    await store.insert(user);
    const { version, ...item } = await raw(user);
    expect(version?.S).to.match(uuid);
    expect(item).to.deep.equal({
      email: { S: 'ada@example.com' },
      address: { S: 'Ada@Example.com' },
      verified: { BOOL: false },
      verificationToken: { NULL: true },
      password: { S: 'a stored password' },
      creationTime: { N: '1700000000000' },
      lastUpdateTime: { N: '9007199254740991' },
      properties: { S: '{"a": [1.0]}' },
    });
  });

  it('has the times of the verification where they are known', async () => {
    const { store } = fixture();
    const { email, ...user } = userOf('ada@example.com');
    const timed = {
      ...user,
      email: { ...email, verification: { verified: false, token: 'token', tokenTime: 1 }, mailTime: 2 },
    };
    await store.insert(timed);
    expect(await raw(timed)).to.deep.include({ tokenTime: { N: '1' }, mailTime: { N: '2' } });
    expect((await store.find(keyOf(email.address)))?.user).to.deep.equal(timed);
  });

  it('fits into the limit of DynamoDB for the largest user, also when it moves', async () => {
    const { store } = fixture();
    const host = `${'h'.repeat(63)}.${'h'.repeat(63)}.${'h'.repeat(58)}.com`;
    const address = (letter: string) => addressOf(`${letter.repeat(64)}@${host}`.slice(0, 254));
    const time = 2 ** 53 - 1;
    const verification = { verified: true, token: 'token', tokenTime: time };
    const email = { address: address('a'), verification, mailTime: time };
    const small: User = { ...userOf('a@b.com', { properties: asProperties('{"filler":""}') }), email };
    const filler = 'x'.repeat(maxUserBytes - Buffer.byteLength(userJson(small)));
    const user = { ...small, properties: asProperties(JSON.stringify({ filler })) };
    expect(Buffer.byteLength(userJson(user))).to.equal(maxUserBytes);
    expect(await store.insert(user)).to.have.property('version');
    expect(sizeOf(await raw(user))).to.be.within(maxUserBytes, maxItemBytes - 50_000);

    const previous = await store.find(keyOf(email.address));
    const moved = { ...user, email: { ...email, address: address('b') } };
    expect(previous && (await store.replace(previous, moved))).to.have.property('version');
    expect((await store.find(keyOf(moved.email.address)))?.user).to.deep.equal(moved);
    // A errorResponse brings the stored item back with it.
    expect(previous && (await store.replace(previous, moved))).to.equal('stale');
  });

  it('takes one request for every operation, and reads what was written last', async () => {
    const { store, proxy } = fixture();
    const user = userOf('ada@example.com');
    const moved = { ...user, email: { ...user.email, address: addressOf('lovelace@example.com') } };
    await store.insert(user);
    const first = await store.find(keyOf(user.email.address));
    if (first !== undefined) await store.replace(first, user);
    const second = await store.find(keyOf(user.email.address));
    if (second !== undefined) await store.replace(second, moved);
    const third = await store.find(keyOf(moved.email.address));
    if (third !== undefined) await store.remove(third);
    expect(proxy.seen.map(({ operation }) => operation)).to.deep.equal([
      'TransactWriteItems',
      'GetItem',
      'PutItem',
      'GetItem',
      'TransactWriteItems',
      'GetItem',
      'TransactWriteItems',
    ]);
    const reads = proxy.seen.filter(({ operation }) => operation === 'GetItem');
    expect(reads.map(({ body }) => body.ConsistentRead)).to.deep.equal([true, true, true]);
  });
});
