import { block, flag, required, such, text, withDefault } from '../../../application/options.ts';
import { defineAdapter } from '../../../application/ports/adapter.ts';
import { placeOptions } from '../../aws/service.ts';
import { openClient } from './client.ts';
import { DynamoDbUserStore } from './dynamodb-user-store.ts';
import { Table } from './table.ts';

/** The part of the operation timeout after which one call is given up, so that its failure is still the one that is told. */
const shareOfTimeout = 0.9;

/** Amazon DynamoDB: one table whose partition key is `email` (S). Credentials come from the SDK's default chain. */
export const dynamodb = defineAdapter({
  type: 'dynamodb',
  configuration: block({
    ...placeOptions('the database'),
    tableName: required(
      such(
        text,
        (name) => /^[A-Za-z0-9_.-]{3,255}$/.test(name),
        'is no name of a table: 3 to 255 letters, digits, and _ . - only',
      ),
      'Name of the table; its partition key is email (S).',
    ),
    createTable: withDefault(
      flag,
      false,
      'Whether a missing table is created, billed by request, when it is first used.',
    ),
  }),
  open: async ({ endpoint, region, tableName, createTable }, { log, operationTimeout }) => {
    const place = `DynamoDB table ${tableName} in ${region} at ${endpoint}`;
    const patience = Math.ceil(operationTimeout * shareOfTimeout);
    const client = openClient({ endpoint, region }, log);
    return new DynamoDbUserStore(new Table(client, { tableName, place, createTable, patience }, log));
  },
});
