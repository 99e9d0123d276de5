import { bearsBadInput } from './bad-input.ts';
import { survivesCrashes } from './crash.ts';
import { sqlite } from './databases.ts';
import { hasOneHistory } from './history.ts';
import { behavesAsItsModel } from './model.ts';
import { bearsOverload } from './overload.ts';
import { keeps } from './promise.ts';
import { closesSlowClients } from './slow-clients.ts';
import { stopsGracefully } from './stop.ts';

keeps('the promises of the service, seen from outside', [
  survivesCrashes,
  hasOneHistory(sqlite),
  stopsGracefully,
  bearsBadInput,
  bearsOverload,
  closesSlowClients,
  behavesAsItsModel(sqlite, { short: 200, long: 2_000 }),
]);
