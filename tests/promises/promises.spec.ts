import { withCredentials } from '../adapters/stores/dynamodb/fresh-table.ts';
import { engine } from '../engines/index.ts';
import { embedded, over } from './catalogue.ts';
import { dynamodb, mongodb } from './databases.ts';
import { keeps, table } from './promise.ts';

describe('the promises of the service, seen from outside', () => {
  after('print what was met', () => console.log(`\n${table()}\n`));
  keeps('over SQLite', embedded);

  describe('and over databases that are reached through a network', () => {
    const remote = [mongodb(engine('mongodb')), dynamodb(engine('dynamodb'))];
    withCredentials();
    for (const database of remote) keeps(`over ${database.name}`, over(database));
  });
});
