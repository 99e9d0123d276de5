import { bearsBadInput } from './bad-input.ts';
import { survivesCrashes } from './crash.ts';
import { type RemoteDatabase, sqlite } from './databases.ts';
import { knowsItsDependencies } from './dependencies.ts';
import { tellsOfEveryChange } from './events.ts';
import { refusesForgedTokens } from './forged-tokens.ts';
import { countsProxiesFromTheRight } from './forwarded.ts';
import { bearsFullDisk } from './full-disk.ts';
import type { Promised } from './guarantee.ts';
import { boundsHashCosts } from './hash-costs.ts';
import { hasOneHistory } from './history.ts';
import { behavesAsItsModel } from './model.ts';
import { survivesOutages } from './outage.ts';
import { bearsOverload } from './overload.ts';
import { bearsPipelining } from './pipelining.ts';
import { renamesAtOnce } from './rename.ts';
import { keepsSecrets } from './secrets.ts';
import { closesSlowClients } from './slow-clients.ts';
import { stopsGracefully } from './stop.ts';
import { hidesUnknownUsers } from './unknown-users.ts';

/** What is promised whatever the database, and over the embedded store. */
export const embedded: readonly Promised[] = [
  survivesCrashes,
  bearsFullDisk,
  renamesAtOnce(sqlite),
  tellsOfEveryChange(sqlite),
  hasOneHistory(sqlite, { short: 1_000, long: 10_000 }),
  behavesAsItsModel(sqlite, { short: 200, long: 2_000 }),
  stopsGracefully,
  bearsBadInput,
  bearsOverload,
  boundsHashCosts,
  closesSlowClients,
  bearsPipelining,
  refusesForgedTokens,
  countsProxiesFromTheRight,
  hidesUnknownUsers,
  keepsSecrets,
  knowsItsDependencies,
];

/** What is promised over a database that is reached through a network. */
export const over = (database: RemoteDatabase): readonly Promised[] => [
  renamesAtOnce(database),
  tellsOfEveryChange(database),
  hasOneHistory(database, { short: 600, long: 10_000 }),
  behavesAsItsModel(database, { short: 20, long: 200 }),
  survivesOutages(database),
];
