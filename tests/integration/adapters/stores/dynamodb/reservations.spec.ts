import { DescribeTimeToLiveCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { type Item, keyItem } from '../../../../../adapters/stores/dynamodb/items.ts';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { UserKey } from '../../../../../domain/user-name.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { isWritten, reserved, written } from '../../../../../sdk/contract/outcomes.ts';
import { expectUnreadable } from '../../../../support/expect-unreadable.ts';
import { readNames } from '../../../../support/names/dynamodb.ts';
import { errorResponse, lostReply } from './http-fault-proxy.ts';
import { useStoreFixture, useTableFixture } from './store-fixture.ts';

const ada = userOf('Ada@example.com');
const key = keyOf(ada.email.address);
const id = idOf('usr_1');

/** What former versions store of an address that they reserve. */
const formerReservation = (address: string, properties = '{}'): Item => ({
  email: { S: address },
  version: { S: 'of-a-former-version' },
  address: { S: address },
  verified: { BOOL: false },
  verificationToken: { NULL: true },
  password: { S: '' },
  creationTime: { N: '1' },
  lastUpdateTime: { N: '1' },
  properties: { S: properties },
});

describe('a reservation in DynamoDB', () => {
  const fixture = useStoreFixture();
  const put = (Item: Item) =>
    fixture().table.client.send(new PutItemCommand({ TableName: fixture().table.name, Item }));
  const raw = async (of: UserKey): Promise<Item> => {
    const { client, name: TableName } = fixture().table;
    return (await client.send(new GetItemCommand({ TableName, Key: keyItem(of), ConsistentRead: true }))).Item ?? {};
  };
  /** In seconds from now. */
  const expiryOf = (item: Item): number => Number(item.expires?.N) - Date.now() / 1_000;

  it('of an address is stored as by former versions, and expires in an hour', async () => {
    const { version } = reserved(await fixture().store.reserve(key));
    const { expires: _, ...item } = await raw(key);
    const { creationTime, lastUpdateTime } = item;
    expect(item).to.deep.equal({ ...formerReservation(key), version: { S: version }, creationTime, lastUpdateTime });
    expect(creationTime)
      .to.deep.equal(lastUpdateTime)
      .and.have.property('N')
      .that.matches(/^\d{13}$/);
    expect(expiryOf(await raw(key))).to.be.within(3_500, 3_602);
  });

  it('of a name is an entry without a user, which expires in an hour', async () => {
    const { store, table } = fixture();
    const { version } = reserved(await store.reserve(id));
    const { expires: _, ...item } = await raw(id);
    expect(item).to.deep.equal({ email: { S: 'check id usr_1' }, version: { S: version } });
    expect(expiryOf(await raw(id))).to.be.within(3_500, 3_602);
    expect(await readNames(table.client, table.name)).to.deep.include({ entries: new Map([[id, undefined]]) });
  });

  it('takes one request, also over one of another process, and the items of their users do not expire', async () => {
    const { store, other, proxy } = fixture();
    await Promise.all([other.reserve(key), other.reserve(id)]);
    const reservations = [reserved(await store.reserve(key)), reserved(await store.reserve(id))];
    expect(proxy.seen.map(({ operation }) => operation)).to.deep.equal(['PutItem', 'PutItem']);
    const { version } = written(await store.insert(ada, { names: [id], reservations }));
    expect(await raw(key)).to.not.have.property('expires');
    expect(await raw(id)).to.deep.equal({
      email: { S: 'check id usr_1' },
      holder: { S: key },
      version: { S: version },
    });
    expect(await store.reserve(key)).to.equal('taken');
    expect(await store.reserve(id)).to.equal('taken');
  });

  it('is made although its reply is lost, and not if a user takes the key meanwhile', async () => {
    const { store, other, proxy } = fixture();
    proxy.next([lostReply()]);
    const first = reserved(await store.reserve(id));
    proxy.next([lostReply(async () => other.insert(ada, { names: [id], reservations: [await known()] }))]);
    const known = async () => reserved({ key: id, version: (await raw(id)).version?.S ?? '' });
    expect(first.version).to.equal((await known()).version);
    expect(await store.reserve(id)).to.equal('taken');
    expect((await other.find(key))?.names).to.deep.equal([id]);
  });

  it('that has expired since it was read refuses no user', async () => {
    const { store, other } = fixture();
    const reservations = [reserved(await store.reserve(key)), reserved(await store.reserve(id))];
    // The write of another user ends both.
    await other.remove(written(await other.insert(ada, { names: [id], reservations })));
    expect(await store.insert(ada, { names: [id], reservations })).to.satisfy(isWritten);
  });

  it('of a former version, and its records of them, are no users, and end with their use', async () => {
    const { store, table } = fixture();
    const page = userOf('reservations-3@latchkey.invalid');
    await put(formerReservation(key));
    await put(formerReservation(page.email.address, '{"eve@example.com":"1"}'));
    const { listing, names } = await table.openPorts();
    expect((await listing?.list({ ...everyUser, limit: 10, after: undefined }))?.users).to.deep.equal([]);
    for (const user of [ada, page]) {
      const keyOfUser = keyOf(user.email.address);
      expect(await store.find(keyOfUser)).to.equal(undefined);
      const reservation = { key: keyOfUser, version: 'of-a-former-version' };
      expect(await store.insert(user)).to.deep.equal({ taken: keyOfUser, reservation });
      const renewed = reserved(await store.reserve(keyOfUser));
      expect(expiryOf(await raw(keyOfUser))).to.be.above(3_500);
      expect(await store.insert(user, { reservations: [renewed] })).to.satisfy(isWritten);
    }
    expect(await names?.find(id)).to.equal(undefined);
  });

  it('is not what a damaged user with an empty password is', async () => {
    const { store, table } = fixture();
    const damaged = [
      formerReservation('bea@example.com', '{"plan":"paid"}'),
      { ...formerReservation('cleo@example.com'), verificationToken: { S: 'a token' } },
    ];
    for (const item of damaged) await put(item);
    for (const item of damaged) {
      const user = userOf(String(item.email?.S));
      await expectUnreadable({ users: store }, user);
      expect(await raw(keyOf(user.email.address))).to.deep.equal(item);
    }
    const { listing } = await table.openPorts();
    const page = await listing?.list({ ...everyUser, limit: 10, after: undefined });
    expect(page?.unreadable).to.have.length(2);
  });
});

describe('the expiry of reservations in DynamoDB', () => {
  const fixture = useTableFixture();
  const expiry = async () => {
    const { client, name: TableName } = fixture().table;
    return (await client.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;
  };
  const enabled = { AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' };

  it('is enabled in a table that the service creates', async () => {
    const store = await fixture().table.open({ createTable: true });
    await store.find(key);
    expect(await expiry()).to.deep.equal(enabled);
  });

  it('is enabled in a table of a former version by a service that creates tables, but not by a command', async () => {
    const { table } = fixture();
    await table.createForUsers({ expires: null });
    await (await table.open({ createTable: true, readOnly: true })).check();
    expect(await expiry()).to.not.deep.equal(enabled);
    expect(await (await table.open({ createTable: true })).check()).to.match(/is read and written$/);
    expect(await expiry()).to.deep.equal(enabled);
  });

  it('is asked for by the check of another table, unless that may not look', async () => {
    const { table, proxy } = fixture();
    await table.createForUsers({ expires: null });
    const line = / is read and written; enable Time to Live with the attribute expires, so that reservations end$/;
    const store = await table.open({ endpoint: proxy.endpoint });
    for (let count = 0; count < 2; count++) expect(await store.check()).to.match(line);
    expect(proxy.seen.filter(({ operation }) => operation === 'DescribeTimeToLive')).to.have.length(1);
    proxy.next([errorResponse('AccessDeniedException')], 'DescribeTimeToLive');
    expect(await (await table.open({ endpoint: proxy.endpoint })).check()).to.match(/is read and written$/);
  });

  it('is asked for where items expire by another attribute, which DynamoDB does not replace', async () => {
    const { table } = fixture();
    await table.createForUsers({ expires: 'ttl' });
    for (const options of [{}, { createTable: true }, { createTable: true, readOnly: true }])
      expect(await (await table.open(options)).check(), JSON.stringify(options)).to.match(
        / is read and written; disable Time to Live with the attribute ttl, and enable it with expires, so that reservations end$/,
      );
  });
});
