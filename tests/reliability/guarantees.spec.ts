import { engine, privateEngine } from '../support/engines/index.ts';
import { withAwsCredentials } from '../support/environment.ts';
import { postgresqlUrl, privatePostgresql } from '../support/postgresql/index.ts';
import { invitationMails, noticeMails, quietSignUpMails } from './account-mails.ts';
import { addressChange } from './address-change.ts';
import { compareAndSwap } from './compare-and-swap.ts';
import { confirmedMove } from './confirmed-move.ts';
import { crashRecovery } from './crash-recovery.ts';
import { damagedRecords } from './damaged-records.ts';
import { databaseOutage } from './database-outage.ts';
import { databaseSuspension } from './database-suspension.ts';
import { dynamodb, mongodb, postgresql, type RemoteDatabase, sqlite } from './databases.ts';
import { deadlines, embeddedDeadlines } from './deadlines.ts';
import { dependencies } from './dependencies.ts';
import { eventDelivery } from './event-delivery.ts';
import { forgedTokens } from './forged-tokens.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { frozenService } from './frozen-service.ts';
import { fullDisk } from './full-disk.ts';
import { gracefulShutdown } from './graceful-shutdown.ts';
import { type Guarantee, isSoakRun, names, repetition, results, seed, testGuarantees } from './guarantee.ts';
import { hashCosts } from './hash-costs.ts';
import { hostileConnections } from './hostile-connections.ts';
import { identities } from './identities.ts';
import { invalidInput } from './invalid-input.ts';
import { killedNames } from './killed-names.ts';
import { linearizability } from './linearizability.ts';
import { modelConformance } from './model-conformance.ts';
import { oneOwner } from './one-owner.ts';
import { overload } from './overload.ts';
import { pipelining } from './pipelining.ts';
import { queuedMails } from './queued-mails.ts';
import { quietSignUps, remoteQuietSignUps } from './quiet-sign-ups.ts';
import { recoveryEnumeration } from './recovery-enumeration.ts';
import { recoveryMails } from './recovery-mails.ts';
import { failover } from './replica-set/failover.ts';
import { faults } from './replica-set/faults.ts';
import { memberSet } from './replica-set/member-set.ts';
import { table, writeResults } from './results-table.ts';
import { postgresqlLeaks, secretLeaks } from './secret-leaks.ts';
import { slowClients } from './slow-clients.ts';
import { asynchronousStandby } from './standby/asynchronous.ts';
import { standbyFailover } from './standby/failover.ts';
import { faults as standbyFaults } from './standby/faults.ts';
import { serverPair } from './standby/server-pair.ts';
import { remoteUserTiming, unknownUserTiming } from './unknown-user-timing.ts';

/** The guarantees that do not depend on the database, and those of SQLite. */
const embedded: readonly Guarantee[] = [
  crashRecovery,
  compareAndSwap,
  fullDisk,
  addressChange(sqlite),
  confirmedMove(sqlite),
  eventDelivery(sqlite),
  queuedMails(sqlite),
  recoveryMails(sqlite),
  invitationMails(sqlite),
  noticeMails(sqlite),
  quietSignUpMails(sqlite),
  linearizability(sqlite, { short: 1_000, long: 10_000 }),
  oneOwner(sqlite),
  killedNames(sqlite),
  identities(sqlite, { short: 1_000, long: 10_000 }),
  modelConformance(sqlite, { short: 200, long: 2_000 }),
  damagedRecords(sqlite, { short: 3, long: 400 }),
  gracefulShutdown,
  invalidInput,
  hostileConnections,
  overload,
  embeddedDeadlines,
  frozenService,
  hashCosts,
  slowClients,
  pipelining,
  forgedTokens,
  forwardedHeaders,
  unknownUserTiming,
  recoveryEnumeration,
  quietSignUps,
  secretLeaks,
  dependencies,
];

/** The guarantees of a database that is reached over the network. */
const remote = (database: RemoteDatabase): readonly Guarantee[] => [
  addressChange(database),
  confirmedMove(database),
  eventDelivery(database),
  queuedMails(database),
  recoveryMails(database),
  invitationMails(database),
  noticeMails(database),
  quietSignUpMails(database),
  linearizability(database, { short: 600, long: 10_000 }),
  oneOwner(database),
  killedNames(database),
  identities(database, { short: 600, long: 10_000 }),
  modelConformance(database, { short: 20, long: 200 }),
  damagedRecords(database, { short: 1, long: 130 }),
  databaseOutage(database),
  deadlines(database),
];

describe('the guarantees of the service', () => {
  before('print the seed', () => console.log(`\nSeed ${seed}. Repeat the random choices with ${repetition()}\n`));
  after('print the results', async () => {
    console.log(`\n${table(names, results)}\n\nSeed ${seed}. Repeat the random choices with ${repetition()}\n`);
    if (isSoakRun) await writeResults(names, results);
  });
  testGuarantees('with SQLite', embedded);

  describe('with databases on the network', () => {
    const databases = [mongodb(engine('mongodb')), dynamodb(engine('dynamodb'))];
    withAwsCredentials();
    for (const database of databases) testGuarantees(`with ${database.name}`, remote(database));
  });

  describe('with PostgreSQL on the network', () => {
    const url = postgresqlUrl();
    testGuarantees('with PostgreSQL', [
      ...remote(postgresql(url)),
      postgresqlLeaks(url),
      remoteUserTiming(postgresql(url)),
      remoteQuietSignUps(postgresql(url)),
    ]);
  });

  describe('with a PostgreSQL that is stopped and frozen', () => {
    const server = privatePostgresql();
    const database = postgresql(() => server().url);
    testGuarantees('with PostgreSQL', [databaseSuspension(server, database)]);
  });

  describe('with a MongoDB that is stopped and frozen', () => {
    const server = privateEngine('mongodb');
    const database = mongodb(() => server().endpoint);
    testGuarantees('with MongoDB', [databaseSuspension(server, database)]);
  });

  describe('with three MongoDB members', () => {
    const set = memberSet();
    testGuarantees(
      'and two services',
      faults.map((fault) => failover(set, fault)),
    );
  });

  describe('with a PostgreSQL primary and its standby', () => {
    const pair = serverPair();
    const failovers = standbyFaults.map((fault) => standbyFailover(pair, fault));
    testGuarantees('and two services', [...failovers, asynchronousStandby(pair)]);
  });

  describe('with a DynamoDB that is stopped and frozen', () => {
    // Keeps its tables in files, so that they survive a stop.
    const onDisk = ['-jar', 'DynamoDBLocal.jar', '-sharedDb', '-dbPath', '/home/dynamodblocal'];
    const server = privateEngine('dynamodb', { adjust: (container) => container.withCommand(onDisk) });
    withAwsCredentials();
    const database = dynamodb(() => server().endpoint);
    testGuarantees('with DynamoDB', [databaseSuspension(server, database)]);
  });
});
