import { MongoClient } from 'mongodb';
import type { StorePorts } from '../../../application/ports/user-store.ts';
import { type AdapterContext, defineAdapter } from '../../kit/definition.ts';
import { block, required, type Values } from '../../kit/option-block.ts';
import { collectionName, connectionString, databaseName } from './codecs.ts';
import { Connection } from './connection.ts';
import { clientOptions, deadlineOf, guarantees } from './limits.ts';
import { MongodbUserStore } from './mongodb-user-store.ts';
import type { UserRecord } from './record.ts';

const configuration = block({
  connectionString: required(connectionString, 'Connection string used to access the database.'),
  databaseName: required(databaseName, 'Name of the database within the instance.'),
  collectionName: required(collectionName, 'Name of the collection within the database.'),
});

const open = async (
  { connectionString, databaseName, collectionName }: Values<typeof configuration.options>,
  { log, operationTimeout }: AdapterContext,
): Promise<StorePorts> => {
  const deadline = deadlineOf(operationTimeout);
  const client = new MongoClient(connectionString, clientOptions(deadline));
  const users = client.db(databaseName).collection<UserRecord>(collectionName, guarantees(deadline));
  const store = new MongodbUserStore(new Connection(client, log), users, deadline);
  // Nobody waits for it: the service starts while its database is down, and every write asks for the index again.
  store.prepare().catch(({ message }: Error) => log.warn({}, message));
  return store.ports;
};

/**
 * A MongoDB collection, for a service on several machines: in a replica set, or on a single server, where a write whose
 * reply was lost is not repeated.
 */
export const mongodb = defineAdapter({ type: 'mongodb', configuration, open });
