import type { StorePorts } from '../../../application/ports/user-store.ts';
import { endpointOptions } from '../../aws/aws-client.ts';
import { callTimeoutMs, defineAdapter } from '../../kit/definition.ts';
import { block, optional, required, withDefault } from '../../kit/option-block.ts';
import { type Codec, flag, refine, text } from '../../kit/option-codecs.ts';
import { openAttemptCounter } from './dynamodb-attempt-counter.ts';
import { callQueue, openClient } from './dynamodb-client.ts';
import { DynamoDbEventOutbox } from './dynamodb-event-outbox.ts';
import { DynamoDbUserListing } from './dynamodb-user-listing.ts';
import { DynamoDbUserStore } from './dynamodb-user-store.ts';
import { Table } from './table.ts';

const tableName: Codec<string> = refine(
  text,
  (name) => /^[A-Za-z0-9_.-]{3,255}$/.test(name),
  'is not a table name: 3 to 255 letters, digits, and _ . - only',
);

/** Amazon DynamoDB: one table whose partition key is `email` (S). Credentials come from the SDK's default chain. */
export const dynamodb = defineAdapter({
  type: 'dynamodb',
  configuration: block({
    ...endpointOptions('the database'),
    tableName: required(tableName, 'The table, with the partition key email (S).'),
    eventsTableName: optional(
      tableName,
      'The table of events and queued mails, with the partition key destination (S) and the sort key place (S); by default tableName and -events.',
    ),
    createTable: withDefault(flag, false, 'Whether a missing table is created, billed by request.'),
  }),
  open: async ({ endpoint, region, tableName, eventsTableName: named, createTable }, context): Promise<StorePorts> => {
    const { log, operationTimeoutMs, clock, hideUnknownUsers } = context;
    const eventsTableName = named ?? `${tableName}-events`;
    const place = `DynamoDB table ${tableName} in ${region} at ${endpoint}`;
    const timeoutMs = callTimeoutMs(operationTimeoutMs);
    const client = openClient({ endpoint, region }, timeoutMs, log);
    const calls = callQueue();
    const options = { ...context, tableName, eventsTableName, place, createTable, timeoutMs, calls };
    const table = new Table(client, options, log);
    const users = new DynamoDbUserStore(table, hideUnknownUsers, clock);
    return {
      users,
      names: users.names,
      listing: new DynamoDbUserListing(table),
      events: new DynamoDbEventOutbox(table),
      attempts: async (limits) => openAttemptCounter(table, limits),
    };
  },
});
