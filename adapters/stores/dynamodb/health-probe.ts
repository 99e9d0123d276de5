import { randomUUID } from 'node:crypto';
import { GetItemCommand, TransactionCanceledException, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import { unexpectedResponse } from '../../aws/errors.ts';
import { checkPrefix, eventKey, keyAttribute } from './items.ts';
import type { Call, Table } from './table.ts';

/**
 * Resolves if users, and events where they are configured, can be read and written. Needs only permissions that the service
 * needs anyway, and writes nothing: its conditions never hold, and no user has its key. Throws a Fault.
 */
export const probeTable = (table: Table): Promise<void> => table.callForCheck((call) => probe(table, call));

const probe = async (table: Table, { client, TableName, options }: Call): Promise<void> => {
  const email = { S: `${checkPrefix}${randomUUID()}` };
  const other = { S: `${email.S} too` };
  const neverHolds = `attribute_exists(${keyAttribute}) AND attribute_not_exists(${keyAttribute})`;
  const Put = { TableName, Item: { email }, ConditionExpression: neverHolds };
  const Delete = { TableName, Key: { email: other }, ConditionExpression: neverHolds };
  const event = {
    TableName: table.nameOfEvents,
    Key: eventKey('check', email.S),
    ConditionExpression: 'attribute_exists(due) AND attribute_not_exists(due)',
  };
  const ofEvents = table.hasEvents ? [{ Delete: event }] : [];
  await client.send(new GetItemCommand({ TableName, Key: { email }, ConsistentRead: true }), options);
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }, { Delete }, ...ofEvents] }), options);
  } catch (error) {
    const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
    if (reasons?.every(({ Code }) => Code === 'ConditionalCheckFailed')) return;
    throw error;
  }
  // Any server can respond with 200, but only DynamoDB refuses these conditions.
  throw new Fault('store_rejected', `${table.place}: ${unexpectedResponse('DynamoDB')}`);
};
