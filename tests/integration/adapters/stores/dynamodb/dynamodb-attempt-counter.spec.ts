import { DescribeTableCommand, DescribeTimeToLiveCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import type { Attempt, AttemptLimits } from '../../../../../application/ports/attempt-counter.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../../sdk/contract/arbitraries.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import { counterOf, countersOf, expectNoFreeGuesses } from '../../../../support/attempt-counters.ts';
import { engine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { FreshTable } from './fresh-table.ts';
import { errorResponse, type HttpFaultProxy } from './http-fault-proxy.ts';
import { useTableFixture } from './store-fixture.ts';

describe('the attempt counter on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();

  attemptCounterContract('dynamodb', async (limits) => {
    const table = new FreshTable(endpoint());
    const stores = [await table.openPorts({ createTable: true }), await table.openPorts({ createTable: true })];
    const { one, other } = await countersOf(stores, limits);
    return { one, other, dispose: () => table.dispose() };
  });
});

const limits: AttemptLimits = { failures: 3, clientFailures: 5, windowMs: 600_000, blockMs: 600_000 };
const jane: Attempt = { user: keyOf(addressOf('jane@example.com')), client: '192.0.2.7' };

/** Whether the newest request changes items. */
const isWrite = ({ seen }: HttpFaultProxy): boolean => seen.at(-1)?.operation !== 'GetItem';

describe('the table of the attempt counter on DynamoDB', () => {
  const fixture = useTableFixture();

  const open = async (createTable = false) =>
    counterOf(await fixture().table.openPorts({ endpoint: fixture().proxy.endpoint, createTable }), limits);

  it('is created where that is configured, with the layout of the documentation, and its items expire', async () => {
    const counter = await open(true);
    await counter.recordFailure(jane);
    const { Table } = await fixture().table.client.send(
      new DescribeTableCommand({ TableName: fixture().table.countsTableName }),
    );
    expect(Table).to.deep.include({
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
    });
    expect(Table?.BillingModeSummary?.BillingMode).to.equal('PAY_PER_REQUEST');
    const { TimeToLiveDescription } = await fixture().table.client.send(
      new DescribeTimeToLiveCommand({ TableName: fixture().table.countsTableName }),
    );
    expect(TimeToLiveDescription).to.deep.equal({ AttributeName: 'expire', TimeToLiveStatus: 'ENABLED' });
  });

  it('is named in an error with instructions when it is missing and createTable is off', async () => {
    const counter = await open();
    const asked = [counter.status(jane), counter.recordFailure(jane), counter.check()];
    for (const { code, message } of await Promise.all(asked.map(faultOf))) {
      expect(code).to.equal('store_rejected');
      expect(message)
        .to.include(fixture().table.countsTableName)
        .and.to.include('create it with the partition key key (S)');
    }
  });

  it('contains neither user nor address in plain text', async () => {
    await fixture().table.createForCounts();
    await (await open()).recordFailure(jane);
    const { Items } = await fixture().table.client.send(
      new ScanCommand({ TableName: fixture().table.countsTableName }),
    );
    expect(Items).to.have.length(2);
    for (const clear of ['jane', 'example.com', '192.0.2.7']) expect(JSON.stringify(Items)).to.not.include(clear);
  });

  it('is read consistently, and a check changes nothing', async () => {
    await fixture().table.createForCounts();
    const counter = await open();
    await counter.status(jane);
    await counter.check();
    const reads = fixture().proxy.seen.filter(({ operation }) => operation === 'GetItem');
    expect(reads.map(({ body }) => body.ConsistentRead)).to.deep.equal([true, true, true]);
    const { Items } = await fixture().table.client.send(
      new ScanCommand({ TableName: fixture().table.countsTableName }),
    );
    expect(Items).to.deep.equal([]);
  });

  it('is written again when a count was reset concurrently, up to a limit', async () => {
    await fixture().table.createForCounts();
    const counter = await open();
    const attempt = { user: jane.user, client: undefined };
    const changed = errorResponse('ConditionalCheckFailedException');
    fixture().proxy.next([changed, changed], 'UpdateItem');
    await counter.recordFailure(attempt);
    expect((await counter.status(attempt)).failures).to.equal(1);
    fixture().proxy.next(
      Array.from({ length: 8 }, () => changed),
      'UpdateItem',
    );
    expect(await faultOf(counter.recordFailure(attempt))).to.include({ code: 'store_unavailable' });
  });

  it('allows no free guesses while its writes fail and its reads do not', async () => {
    await fixture().table.createForCounts();
    const { proxy } = fixture();
    // As `ProvisionedThroughputExceededException`, but the client waits less before it tries again.
    const failed = errorResponse('InternalServerError', 500);
    await expectNoFreeGuesses(await open(), limits, {
      refuseWrites: async () => proxy.every((forward) => (isWrite(proxy) ? failed(forward) : forward())),
      acceptWrites: async () => proxy.every(undefined),
    });
  });
});
