import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { StoredFormat } from '../stored-format.ts';
import { formatKey, numberIn } from './items.ts';

interface MarkedTable {
  readonly tableName: string;
  /** Where the table is, for operators. */
  readonly place: string;
  readonly readOnly?: boolean;
}

/** The format of the items of a table, which an item of its own says. */
export const storedFormatOf = (
  client: DynamoDBClient,
  { tableName: TableName, place, readOnly = false }: MarkedTable,
): StoredFormat =>
  new StoredFormat({
    place,
    readOnly,
    read: async () => {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: formatKey, ConsistentRead: true }));
      return Item && { format: numberIn(Item, 'format'), time: numberIn(Item, 'time') };
    },
    write: async ({ format, time }) => {
      const numbers = { format: { N: String(format) }, time: { N: String(time) } };
      const command = new PutItemCommand({
        TableName,
        Item: { ...formatKey, version: { S: 'format' }, ...numbers },
        ConditionExpression: 'attribute_not_exists(#format) OR #format < :format',
        ExpressionAttributeNames: { '#format': 'format' },
        ExpressionAttributeValues: { ':format': numbers.format },
      });
      try {
        await client.send(command);
      } catch (error) {
        // Another process has marked the table meanwhile.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },
  });
