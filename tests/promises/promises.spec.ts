import { withCredentials } from '../adapters/stores/dynamodb/fresh-table.ts';
import { engine } from '../engines/index.ts';
import { bearsBadInput } from './bad-input.ts';
import { survivesCrashes } from './crash.ts';
import { dynamodb, mongodb, sqlite } from './databases.ts';
import { hasOneHistory } from './history.ts';
import { behavesAsItsModel } from './model.ts';
import { survivesOutages } from './outage.ts';
import { bearsOverload } from './overload.ts';
import { keeps } from './promise.ts';
import { renamesAtOnce } from './rename.ts';
import { closesSlowClients } from './slow-clients.ts';
import { stopsGracefully } from './stop.ts';

describe('the promises of the service, seen from outside', () => {
  keeps('over SQLite', [
    survivesCrashes,
    renamesAtOnce(sqlite),
    hasOneHistory(sqlite),
    behavesAsItsModel(sqlite, { short: 200, long: 2_000 }),
    stopsGracefully,
    bearsBadInput,
    bearsOverload,
    closesSlowClients,
  ]);

  describe('and over databases that are reached through a network', () => {
    const remote = [mongodb(engine('mongodb')), dynamodb(engine('dynamodb'))];
    withCredentials();
    for (const database of remote) {
      keeps(`over ${database.name}`, [
        renamesAtOnce(database),
        hasOneHistory(database),
        behavesAsItsModel(database, { short: 20, long: 200 }),
        survivesOutages(database),
      ]);
    }
  });
});
