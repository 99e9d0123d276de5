import { activity } from './activity.ts';
import { addressSpellings } from './address-spellings.ts';
import { administeredAddresses } from './administered-addresses.ts';
import { administration } from './administration.ts';
import { audit } from './audit.ts';
import { authentication } from './authentication.ts';
import { bodies, userSizes } from './bodies.ts';
import { conditionalRequests } from './conditional-requests.ts';
import { configuration } from './configuration.ts';
import { confirmPages } from './confirm-page.ts';
import { confirmedAddresses } from './confirmed-addresses.ts';
import { connections } from './connections.ts';
import { documentedResponses } from './documented-responses.ts';
import { events } from './events.ts';
import { faults } from './faults.ts';
import { type Database, Harness } from './harness.ts';
import { hashesOfOtherSystems } from './hashes-of-other-systems.ts';
import { invitations } from './invitations.ts';
import { languages } from './languages.ts';
import { secretLeaks } from './leaks.ts';
import { mailQueue } from './mail-queue.ts';
import { mails } from './mails.ts';
import { methods } from './methods.ts';
import { metrics } from './metrics.ts';
import { misspeltPaths } from './misspelt-paths.ts';
import { notices } from './notices.ts';
import { order } from './order.ts';
import { pages } from './pages.ts';
import { parameters } from './parameters.ts';
import { passwordCache } from './password-cache.ts';
import { passwordChecks } from './password-check.ts';
import { passwordMigration } from './password-migration.ts';
import { passwordRules } from './password-rules.ts';
import { passwords } from './passwords.ts';
import { patches } from './patch.ts';
import { people } from './people.ts';
import { permissions } from './permissions.ts';
import { privacy } from './privacy.ts';
import { customProperties } from './properties.ts';
import { recovery } from './recovery.ts';
import { requestIds } from './request-ids.ts';
import { searchedUsers } from './searched-users.ts';
import type { Runtime } from './service-runtime.ts';
import { mailboxes, quietNames, quietSignUps, signUpCounts, signUpDomains } from './sign-up.ts';
import { targets } from './targets.ts';
import { throttling } from './throttle.ts';
import { transfer } from './transfer.ts';
import { unconfirmedAddresses } from './unconfirmed-addresses.ts';
import { uniqueProperties } from './unique-properties.ts';
import { unverifiedUsers } from './unverified-users.ts';
import { updates } from './update.ts';
import { userIds } from './user-ids.ts';
import { userStates } from './user-states.ts';
import { users } from './users.ts';
import { usersById } from './users-by-id.ts';
import { verification } from './verification.ts';
import { verificationCodes } from './verification-codes.ts';
import { verificationTimes } from './verification-times.ts';
import { withoutPasswords } from './without-passwords.ts';

type Theme = (harness: Harness) => void;

/** What a store can do wrong: what it reads, writes, lists, counts and delivers, and how it fails. */
const ofStores: readonly Theme[] = [
  users,
  updates,
  patches,
  conditionalRequests,
  customProperties,
  userSizes,
  verification,
  verificationTimes,
  verificationCodes,
  mailQueue,
  addressSpellings,
  confirmedAddresses,
  unconfirmedAddresses,
  recovery,
  notices,
  throttling,
  signUpCounts,
  quietSignUps,
  transfer,
  administration,
  searchedUsers,
  activity,
  userStates,
  invitations,
  administeredAddresses,
  events,
  faults,
];

/** By what users are found besides the address. */
const ofNames: readonly Theme[] = [userIds, usersById, uniqueProperties, mailboxes, quietNames];

/** What is the same over every store. */
const ofService: readonly Theme[] = [
  mails,
  pages,
  confirmPages,
  languages,
  bodies,
  authentication,
  permissions,
  withoutPasswords,
  privacy,
  order,
  parameters,
  passwords,
  passwordChecks,
  passwordMigration,
  hashesOfOtherSystems,
  passwordRules,
  passwordCache,
  signUpDomains,
  methods,
  targets,
  connections,
  requestIds,
  misspeltPaths,
  metrics,
  audit,
  configuration,
];

const suite = (title: string, themes: readonly Theme[], database: Database, runtime?: Runtime): void => {
  describe(title, () => {
    const harness = new Harness(database, runtime);
    after(() => harness.close());
    for (const theme of themes) theme(harness);
    // Separate blocks, because Mocha runs the tests of a block before its nested blocks.
    describe('the OpenAPI documents', () => documentedResponses(harness));
    describe('secrets', () => secretLeaks(harness));
  });
};

/**
 * Tests over real sockets what the service does with a database. What does not depend on the database is tested with the
 * service itself. The service runs in the process of the tests unless `runtime` starts it elsewhere; tests that pass it a
 * store are then skipped.
 */
export const httpSuite = (database: Database, runtime?: Runtime): void => {
  suite(`the service over ${database.name}`, ofStores, database, runtime);
  // In a database of its own, which has names from the start.
  suite(`the service with ids and unique properties over ${database.name}`, ofNames, database, runtime);
  // Alone, because services of other tests would send its mails.
  suite(`the service that erases people over ${database.name}`, [people], database, runtime);
  // Alone, because it deletes the users of other tests.
  suite(`the service that deletes unverified users over ${database.name}`, [unverifiedUsers], database, runtime);
};

/** Tests the rest of the HTTP API (docs/api.md), with any database. `runtime` is that of `httpSuite`. */
export const serviceSuite = (database: Database, runtime?: Runtime): void =>
  suite('the service over any database', ofService, database, runtime);
