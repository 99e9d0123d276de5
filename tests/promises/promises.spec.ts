import { survivesCrashes } from './crash.ts';
import { sqlite } from './databases.ts';
import { hasOneHistory } from './history.ts';
import { keeps } from './promise.ts';

keeps('the promises of the service, seen from outside', [survivesCrashes, hasOneHistory(sqlite)]);
