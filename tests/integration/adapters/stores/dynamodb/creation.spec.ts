import { DeleteTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { isTaken } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { eventually } from '../../../../support/eventually.ts';
import { errorResponse, noResponse } from './http-fault-proxy.ts';
import { useTableFixture } from './store-fixture.ts';

const key = keyOf(addressOf('ada@example.com'));

describe('a missing DynamoDB table', () => {
  const fixture = useTableFixture();

  const creations = (): number => fixture().proxy.seen.filter(({ operation }) => operation === 'CreateTable').length;
  const open = (operationTimeoutMs = 30_000) =>
    fixture().table.open({ endpoint: fixture().proxy.endpoint, createTable: true, operationTimeoutMs });

  it('is not created unless that is configured', async () => {
    const store = await fixture().table.open({ endpoint: fixture().proxy.endpoint });
    expect(await rejection(store.insert(userOf('ada@example.com')))).to.include({ code: 'store_rejected' });
    expect(await rejection(store.check())).to.include({ code: 'store_rejected' });
    expect(creations()).to.equal(0);
  });

  it('is created when it is first used, with the layout of the documentation, billed by request', async () => {
    const store = await open();
    expect(fixture().proxy.seen).to.deep.equal([]);
    expect(await store.find(key)).to.equal(undefined);
    const { Table } = await fixture().table.client.send(new DescribeTableCommand({ TableName: fixture().table.name }));
    expect(Table).to.deep.include({
      KeySchema: [{ AttributeName: 'email', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'email', AttributeType: 'S' }],
    });
    expect(Table?.BillingModeSummary?.BillingMode).to.equal('PAY_PER_REQUEST');
    await store.insert(userOf('ada@example.com'));
    expect(creations()).to.equal(1);
  });

  it('is created once by concurrent requests and instances', async () => {
    const stores = await Promise.all([open(), open()]);
    const inserts = stores.flatMap((store) => Array.from({ length: 8 }, () => store.insert(userOf('ada@example.com'))));
    const outcomes = await Promise.all(inserts);
    expect(outcomes.filter((outcome) => !isTaken(outcome))).to.have.length(1);
  });

  it('is awaited while DynamoDB creates it', async () => {
    const store = await open();
    const preparing = errorResponse('ResourceNotFoundException');
    fixture().proxy.next([preparing, preparing, preparing], 'PutItem');
    fixture().proxy.next([errorResponse('ResourceInUseException')], 'CreateTable');
    fixture().proxy.next([async (forward) => forward()], 'CreateTable');
    expect(await store.insert(userOf('ada@example.com'))).to.have.property('version');
  });

  it('is reported as store_unavailable when it does not exist before the timeout', async () => {
    const store = await open(600);
    fixture().proxy.next(
      Array.from({ length: 20 }, () => errorResponse('ResourceNotFoundException')),
      'GetItem',
    );
    const fault = await rejection(store.find(key));
    expect(fault).to.include({ code: 'store_unavailable' });
    expect(fault)
      .to.have.property('message')
      .that.matches(/: the table is being created and does not exist yet$/);
    // Its creation may take longer than an operation.
    await eventually(async () => expect(await store.find(key)).to.equal(undefined), 20_000);
    fixture().proxy.every(noResponse);
    expect(await rejection(store.insert(userOf('ada@example.com'))))
      .to.have.property('message')
      .that.matches(/: no response in time$/);
  });

  it('is not created again when it is deleted under the running service, until it is restored', async () => {
    const { table, proxy } = fixture();
    const { users, events } = await table.openPorts({ endpoint: proxy.endpoint, createTable: true });
    const event = { id: '1', destination: 'receiver', time: 1, body: '{}' };
    await users.insert(userOf('ada@example.com'), { events: [event] });
    const checked = await open();
    await checked.check();
    const created = creations();
    await table.client.send(new DeleteTableCommand({ TableName: table.name }));
    const calls = [() => users.find(key), () => users.insert(userOf('ada@example.com')), () => checked.check()];
    for (const call of calls) {
      const fault = await rejection(call());
      expect(fault).to.include({ code: 'store_rejected' });
      expect(fault)
        .to.have.property('message')
        .that.matches(/: the table was deleted; restore it, or restart the service, which creates an empty one$/);
    }
    expect(creations()).to.equal(created);
    expect(await events?.pending('receiver', 10)).to.equal(1);
    await table.createForUsers();
    expect(await users.insert(userOf('ada@example.com'))).to.have.property('version');
  });

  it('of events is created where that of users exists', async () => {
    const { table, proxy } = fixture();
    await table.createForUsers();
    const { users, events } = await table.openPorts({ endpoint: proxy.endpoint, createTable: true });
    expect(await users.find(key)).to.equal(undefined);
    expect(await events?.pending('receiver', 10)).to.equal(0);
    await users.insert(userOf('ada@example.com'));
    expect(await users.find(key)).to.have.property('version');
  });

  it('is created although the table of events exists, and was used before', async () => {
    const { table, proxy } = fixture();
    await table.createForEvents();
    const { users, events } = await table.openPorts({ endpoint: proxy.endpoint, createTable: true });
    await events?.add([{ id: '1', destination: 'receiver', time: 1, body: '{}' }]);
    expect(await events?.pending('receiver', 10)).to.equal(1);
    expect(await events?.destinations()).to.deep.equal(['receiver']);
    expect(await users.find(key)).to.equal(undefined);
  });

  it('is reported with the missing permission when it may not be created', async () => {
    const store = await open();
    const message = 'User: jane is not authorized to perform: dynamodb:CreateTable on resource: arn';
    fixture().proxy.next([errorResponse('AccessDeniedException', 400, { message })], 'CreateTable');
    const fault = await rejection(store.find(key));
    expect(fault).to.include({ code: 'store_rejected' });
    expect(fault)
      .to.have.property('message')
      .that.matches(/dynamodb:CreateTable/);
    // It is asked for again by the next user.
    expect(await store.find(key)).to.equal(undefined);
  });
});
