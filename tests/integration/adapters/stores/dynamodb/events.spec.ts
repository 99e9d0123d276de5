import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { engine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { eventually } from '../../../../support/eventually.ts';
import { FreshTable } from './fresh-table.ts';

describe('the store on DynamoDB, with events', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();

  eventOutboxContract('dynamodb', async () => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    return { store: await table.openPorts(), dispose: () => table.dispose() };
  });

  const event = { id: 'evt-1', destination: 'receiver', time: 1, body: '{}' };

  it('is unhealthy while the table of events is missing, and names that table', async () => {
    const table = await FreshTable.create(endpoint());
    try {
      const { users: store, events } = await table.openPorts();
      await store.check();
      expect(events && (await rejection(events.pending('receiver', 1)))).to.include({ code: 'store_rejected' });
      const fault = await rejection(store.check());
      expect(fault).to.include({ code: 'store_rejected' });
      expect(String(fault)).to.include(`${table.name}-events`).and.to.include('destination');
      expect(await rejection(store.insert(userOf('jane@example.com'), [event]))).to.include({ code: 'store_rejected' });
    } finally {
      await table.dispose();
    }
  });

  it('creates both tables if createTable is on', async function () {
    this.timeout(30_000);
    const table = new FreshTable(endpoint());
    try {
      const { users: store, events: queue } = await table.openPorts({ createTable: true });
      await eventually(async () => expect(await queue?.pending('receiver', 10)).to.equal(0), 20_000);
      await store.check();
      expect(await store.insert(userOf('jane@example.com'), [event])).to.have.property('version');
      expect(await queue?.pending('receiver', 10)).to.equal(1);
    } finally {
      await table.dispose();
    }
  });

  it('delivers and lists events while others are damaged', async () => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    try {
      const { events: queue } = await table.openPorts();
      await queue?.add([event, { ...event, id: 'evt-2' }]);
      const [first] = (await queue?.list('receiver', 10))?.events ?? [];
      const Key = { destination: { S: 'receiver' }, place: { S: first?.receipt ?? '' } };
      const damage = { ExpressionAttributeValues: { ':body': { N: '7' } }, UpdateExpression: 'SET body = :body' };
      await table.client.send(new UpdateItemCommand({ TableName: `${table.name}-events`, Key, ...damage }));
      const claimed = await queue?.claim('receiver', 10, { now: 9, until: 10 });
      expect(claimed).to.have.lengthOf(1);
      expect((await queue?.list('receiver', 10))?.events).to.have.lengthOf(1);
      expect(await queue?.expire(2, 10)).to.deep.equal(new Map([['receiver', 2]]));
    } finally {
      await table.dispose();
    }
  });
});
