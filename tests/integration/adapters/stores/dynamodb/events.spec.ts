import { setTimeout } from 'node:timers/promises';
import { BatchWriteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { engine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { eventually } from '../../../../support/eventually.ts';
import { mailRaces } from '../../../../support/mail-races.ts';
import { FreshTable } from './fresh-table.ts';
import { HttpFaultProxy } from './http-fault-proxy.ts';

describe('the store on DynamoDB, with events', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();

  const open = async () => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    return { store: await table.openPorts(), reopen: () => table.openPorts(), dispose: () => table.dispose() };
  };

  eventOutboxContract('dynamodb', open);
  mailRaces('dynamodb', open);

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
      expect(await rejection(store.insert(userOf('jane@example.com'), { events: [event] }))).to.include({
        code: 'store_rejected',
      });
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
      expect(await store.insert(userOf('jane@example.com'), { events: [event] })).to.have.property('version');
      expect(await queue?.pending('receiver', 10)).to.equal(1);
    } finally {
      await table.dispose();
    }
  });

  it('claims an event after many delayed ones, although each query takes long, and then older ones again', async function () {
    this.timeout(60_000);
    const proxy = await HttpFaultProxy.start(endpoint());
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    try {
      const { events: queue } = await table.openPorts();
      const delayed = Array.from({ length: 1_000 }, (_, n) => ({
        PutRequest: {
          Item: {
            destination: { S: 'receiver' },
            place: { S: `${'1'.padStart(15, '0')} ${String(n).padStart(5, '0')}` },
            id: { S: `${n}` },
            time: { N: '1' },
            body: { S: 'x'.repeat(4_000) },
            due: { N: '500' },
            attempts: { N: '1' },
          },
        },
      }));
      for (let from = 0; from < delayed.length; from += 25) {
        const RequestItems = { [`${table.name}-events`]: delayed.slice(from, from + 25) };
        await table.client.send(new BatchWriteItemCommand({ RequestItems }));
      }
      await queue?.add([{ ...event, id: 'last', time: 5 }]);
      proxy.every(async (forward) => {
        await setTimeout(250);
        return forward();
      });
      const slow = await table.openPorts({ endpoint: proxy.endpoint, operationTimeoutMs: 2_500 });
      const claim = async (now: number) => (await slow.events?.claim('receiver', 10, { now, until: 900 })) ?? [];
      const claimed: string[] = [];
      for (let attempt = 0; attempt < 4 && claimed.length === 0; attempt++)
        claimed.push(...(await claim(9)).map(({ id }) => id));
      expect(claimed).to.deep.equal(['last']);
      expect(await claim(600)).to.have.lengthOf(10);
    } finally {
      await proxy.close();
      await table.dispose();
    }
  });

  it('delivers and lists events while others are damaged', async () => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    try {
      await table.mark();
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
