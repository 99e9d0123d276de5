import { withCredentials } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { engine, privateEngine } from '../support/engines/index.ts';
import { embedded, over } from './catalogue.ts';
import { dynamodb, mongodb } from './databases.ts';
import { table, writeFigures } from './documented-guarantees.ts';
import { figures, isLong, keeps, names } from './guarantee.ts';
import { survivesSuspension } from './suspension.ts';

describe('the promises of the service, seen from outside', () => {
  after('tell what was met', async () => {
    console.log(`\n${table(names, figures)}\n`);
    if (isLong) await writeFigures(names, figures);
  });
  keeps('over SQLite', embedded);

  describe('and over databases that are reached through a network', () => {
    const remote = [mongodb(engine('mongodb')), dynamodb(engine('dynamodb'))];
    withCredentials();
    for (const database of remote) keeps(`over ${database.name}`, over(database));
  });

  describe('and over a MongoDB of its own', () => {
    const server = privateEngine('mongodb');
    keeps('whose server is harmed', [
      survivesSuspension(
        server,
        mongodb(() => server().endpoint),
      ),
    ]);
  });

  describe('and over a DynamoDB of its own', () => {
    // With its tables in files, which outlive a stop.
    const onDisk = ['-jar', 'DynamoDBLocal.jar', '-sharedDb', '-dbPath', '/home/dynamodblocal'];
    const server = privateEngine('dynamodb', { adjust: (container) => container.withCommand(onDisk) });
    withCredentials();
    keeps('whose server is harmed', [
      survivesSuspension(
        server,
        dynamodb(() => server().endpoint),
      ),
    ]);
  });
});
