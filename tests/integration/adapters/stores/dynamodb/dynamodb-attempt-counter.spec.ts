import { DescribeTableCommand, DescribeTimeToLiveCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import type { Attempt, AttemptLimits } from '../../../../../application/ports/attempt-counter.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { addressOf } from '../../../../support/arbitraries.ts';
import { counterOf, countersOf } from '../../../../support/attempt-counters.ts';
import { engine } from '../../../../support/engines/index.ts';
import { faultOf } from '../../../../support/outcomes.ts';
import { Between, refusal } from './between.ts';
import { FreshTable, withCredentials } from './fresh-table.ts';

describe('the attempt counter on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withCredentials();

  attemptCounterContract('dynamodb', async (limits) => {
    const table = new FreshTable(endpoint());
    const stores = [await table.openPorts({ createTable: true }), await table.openPorts({ createTable: true })];
    const { one, other } = await countersOf(stores, limits);
    return { one, other, dispose: () => table.dispose() };
  });
});

const limits: AttemptLimits = { failures: 3, clientFailures: 5, windowMs: 600_000, blockMs: 600_000 };
const jane: Attempt = { user: keyOf(addressOf('jane@example.com')), client: '192.0.2.7' };

describe('the table of the attempt counter on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withCredentials();
  let table: FreshTable;
  let between: Between;
  beforeEach(async () => {
    table = new FreshTable(endpoint());
    between = await Between.start(endpoint());
  });
  afterEach(async () => {
    await table.dispose();
    await between.close();
  });

  const open = async (createTable = false) =>
    counterOf(await table.openPorts({ endpoint: between.endpoint, createTable }), limits);

  it('is created where that is configured, with the layout of the documentation, and its items expire', async () => {
    const counter = await open(true);
    await counter.recordFailure(jane);
    const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.nameOfCounts }));
    expect(Table).to.deep.include({
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
    });
    expect(Table?.BillingModeSummary?.BillingMode).to.equal('PAY_PER_REQUEST');
    const { TimeToLiveDescription } = await table.client.send(
      new DescribeTimeToLiveCommand({ TableName: table.nameOfCounts }),
    );
    expect(TimeToLiveDescription).to.deep.equal({ AttributeName: 'expire', TimeToLiveStatus: 'ENABLED' });
  });

  it('is named with a remedy when it is missing and must not be created', async () => {
    const counter = await open();
    const asked = [counter.status(jane), counter.recordFailure(jane), counter.check()];
    for (const { code, message } of await Promise.all(asked.map(faultOf))) {
      expect(code).to.equal('store_rejected');
      expect(message).to.include(table.nameOfCounts).and.to.include('create it with the partition key key (S)');
    }
  });

  it('holds neither user nor address in the clear', async () => {
    await table.makeCounts();
    await (await open()).recordFailure(jane);
    const { Items } = await table.client.send(new ScanCommand({ TableName: table.nameOfCounts }));
    expect(Items).to.have.length(2);
    for (const clear of ['jane', 'example.com', '192.0.2.7']) expect(JSON.stringify(Items)).to.not.include(clear);
  });

  it('is read consistently, and a check changes nothing', async () => {
    await table.makeCounts();
    const counter = await open();
    await counter.status(jane);
    await counter.check();
    const reads = between.seen.filter(({ operation }) => operation === 'GetItem');
    expect(reads.map(({ body }) => body.ConsistentRead)).to.deep.equal([true, true, true]);
    const { Items } = await table.client.send(new ScanCommand({ TableName: table.nameOfCounts }));
    expect(Items).to.deep.equal([]);
  });

  it('is asked again when a count was reset at the same time, up to a limit', async () => {
    await table.makeCounts();
    const counter = await open();
    const attempt = { user: jane.user, client: undefined };
    const changed = refusal('ConditionalCheckFailedException');
    between.next([changed, changed], 'UpdateItem');
    await counter.recordFailure(attempt);
    expect((await counter.status(attempt)).failures).to.equal(1);
    between.next(
      Array.from({ length: 8 }, () => changed),
      'UpdateItem',
    );
    expect(await faultOf(counter.recordFailure(attempt))).to.include({ code: 'store_unavailable' });
  });
});
