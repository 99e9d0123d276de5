import { survivesCrashes } from './crash.ts';
import { sqlite } from './databases.ts';
import { hasOneHistory } from './history.ts';
import { behavesAsItsModel } from './model.ts';
import { keeps } from './promise.ts';

keeps('the promises of the service, seen from outside', [
  survivesCrashes,
  hasOneHistory(sqlite),
  behavesAsItsModel(sqlite, { short: 200, long: 2_000 }),
]);
