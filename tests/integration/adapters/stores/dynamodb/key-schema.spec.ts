import { CreateTableCommand, PutItemCommand, type ScalarAttributeType } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { cancelled } from './http-fault-proxy.ts';
import { useTableFixture } from './store-fixture.ts';

type Keys = Readonly<Record<string, ScalarAttributeType>>;

describe('a DynamoDB table with another key', () => {
  const fixture = useTableFixture();

  /** Creates a table with a partition key and a sort key, if there is one. */
  const create = async (TableName: string, keys: Keys): Promise<void> => {
    const names = Object.keys(keys);
    const command = new CreateTableCommand({
      TableName,
      KeySchema: names.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: keys[AttributeName] })),
      BillingMode: 'PAY_PER_REQUEST',
    });
    await fixture().table.client.send(command);
  };

  const expectRejected = async (call: Promise<unknown> | undefined, end: string): Promise<void> => {
    const fault = await rejection(call ?? Promise.resolve());
    expect(fault).to.include({ code: 'store_rejected' });
    expect(fault)
      .to.have.property('message')
      .that.satisfies((line: string) => line.includes(`: ${end} (Validation`), String(fault));
  };

  const ofUsers: Readonly<Record<string, Keys>> = {
    'another name': { id: 'S' },
    'a number': { email: 'N' },
    'an additional sort key': { email: 'S', version: 'S' },
  };
  for (const [what, keys] of Object.entries(ofUsers))
    it(`is named by a check and by a list, which would be empty: ${what}`, async () => {
      const { table } = fixture();
      await create(table.name, keys);
      const { users, listing } = await table.openPorts();
      const reason = 'the request does not suit the table, whose key has to be email (S) alone';
      await expectRejected(users.check(), reason);
      await expectRejected(listing?.list({ ...everyUser, limit: 10, after: undefined }), reason);
      const item = { id: { S: '1' }, email: keys.email === 'N' ? { N: '1' } : { S: 'ada' }, version: { S: '1' } };
      await table.client.send(new PutItemCommand({ TableName: table.name, Item: item }));
      const active = [{ field: 'lastCheckTime', test: 'exists' }] as const;
      await expectRejected(listing?.list({ ...everyUser, limit: 10, after: undefined, conditions: active }), reason);
    });

  const ofEvents: Readonly<Record<string, Keys>> = {
    'another name': { id: 'S', place: 'S' },
    'no sort key': { destination: 'S' },
    'a number': { destination: 'S', place: 'N' },
  };
  for (const [what, keys] of Object.entries(ofEvents))
    it(`is that of events, which a count, a check and a write say: ${what}`, async () => {
      const { table } = fixture();
      await table.createForUsers();
      await create(`${table.name}-events`, keys);
      const { users, events } = await table.openPorts();
      const event = { id: '1', destination: 'receiver', time: 1, body: '{}' };
      const needed = 'destination (S) and the sort key place (S) for events';
      await expectRejected(
        events?.pending('receiver', 1),
        `the request does not suit the table, whose key has to be ${needed}`,
      );
      const either = `the request does not suit the table, whose key has to be email (S) alone, or ${needed}`;
      await expectRejected(users.check(), either);
      if (what === 'a number')
        await expectRejected(users.insert(userOf('ada@example.com'), { events: [event] }), either);
    });

  it('is not suspected when the table of events is only busy', async () => {
    const { table, proxy } = fixture();
    await table.createForUsers();
    await table.createForEvents();
    const { users, events } = await table.openPorts({ endpoint: proxy.endpoint });
    await events?.pending('receiver', 1);
    const failed = 'ConditionalCheckFailed';
    proxy.next([cancelled(failed, failed, 'ThrottlingError')], 'TransactWriteItems');
    expect(await users.check()).to.match(/ is read and written$/);
  });
});
