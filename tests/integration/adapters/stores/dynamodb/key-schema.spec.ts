import { CreateTableCommand, PutItemCommand, type ScalarAttributeType } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
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
});
