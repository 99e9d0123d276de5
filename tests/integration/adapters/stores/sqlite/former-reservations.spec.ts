import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { backUp } from '../../../../../adapters/stores/sqlite/database-backup.ts';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import { applicationId } from '../../../../../adapters/stores/sqlite/sqlite-database.ts';
import { steps } from '../../../../../adapters/stores/sqlite/sqlite-schema.ts';
import { everyUser, type UserPage } from '../../../../../application/ports/user-listing.ts';
import type { StorePorts } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { nameOf } from '../../../../../sdk/contract/named-users.ts';
import { written } from '../../../../../sdk/contract/outcomes.ts';
import { ManualClock } from '../../../../support/doubles/manual-clock.ts';
import { expectUnreadable } from '../../../../support/expect-unreadable.ts';
import { silent, TemporaryDatabase } from './temporary-database.ts';

/** The last schema of versions that reserved an address with a user whose password is empty. */
const formerSchema = 8;
const reserved = userOf('reserved@example.com');
const key = keyOf(reserved.email.address);
const reservation = { key, version: 'v-reserved' };
const hourMs = 60 * 60_000;
const ada = userOf('ada@example.com');

describe('a file with reservations of a former version', () => {
  let database: TemporaryDatabase;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
  });
  afterEach(() => database.dispose());

  const inFile = <Result>(use: (file: Database.Database) => Result): Result => {
    const file = new Database(database.path);
    try {
      return use(file);
    } finally {
      file.close();
    }
  };
  const keys = () => inFile((file) => file.prepare('SELECT key FROM users ORDER BY key').pluck().all());
  /** Adds a row as a former version does, also to a file of this version, which it has open. */
  const add = (address: string, password: string, time: number, properties = '{}'): void =>
    inFile((file) => {
      file
        .prepare(
          `INSERT INTO users (key, version, address, verified, password, creation_time, last_update_time, properties)
           VALUES (?, ?, ?, 0, ?, ?, ?, ?)`,
        )
        .run(address, `v-${address.split('@')[0]}`, address, password, time, time, properties);
    });
  /** Creates the file with a user, a reservation, and the page that records it. */
  const create = (time = Date.now()): void => {
    inFile((file) => {
      file.pragma('journal_mode = WAL');
      for (const { sql } of steps.slice(0, formerSchema)) file.exec(sql);
      file.pragma(`application_id = ${applicationId}`);
      file.pragma(`user_version = ${formerSchema}`);
    });
    add('ada@example.com', ada.password, ada.creationTime);
    add('reserved@example.com', '', time);
    add('reservations-3@latchkey.invalid', '', time, JSON.stringify({ 'reserved@example.com': 'mark' }));
  };

  /** Expects that a store finds and lists the only user, and no reservation. */
  const expectOneUser = async ({ users, names, listing }: StorePorts): Promise<void> => {
    for (const address of ['reserved@example.com', 'reservations-3@latchkey.invalid'])
      expect(await users.find(keyOf(addressOf(address))), address).to.equal(undefined);
    expect(await names?.find(nameOf('a'))).to.equal(undefined);
    const pages = [
      await listing?.list({ ...everyUser, limit: 1, after: undefined }),
      await listing?.list({ ...everyUser, addressContains: 'e', limit: 1, after: undefined }),
    ];
    for (const page of pages) expect(page).to.deep.include({ users: [ada], next: undefined });
  };

  it('shows its users only, also to a store that only reads it, and to a backup', async () => {
    create();
    const context = { log: silent, operationTimeoutMs: 1_000 };
    const reading = await sqlite.open({ path: database.path }, { ...context, readOnly: true });
    await expectOneUser(reading);
    await reading.users.close();
    expect(inFile((file) => file.pragma('user_version', { simple: true }))).to.equal(formerSchema);
    expect(backUp(database.path, join(database.folder, 'copy.db'))).to.equal(1);
    const opened = await database.openPorts();
    await expectOneUser(opened);
    const order = { by: 'creationTime', isDescending: false } as const;
    const sorted = await opened.search?.sorted({ ...everyUser, order, limit: 1, after: undefined });
    expect(sorted).to.deep.equal({ users: [ada], next: undefined });
    expect(await opened.search?.count(everyUser, 10)).to.equal(1);
  });

  it('lists all users, however many reservations are among them', async () => {
    create();
    for (let n = 0; n < 5; n++) {
      add(`b-${n}@example.com`, '', 1);
      add(`c-${n}@example.com`, 'a password', 1);
    }
    const { listing } = await database.openPorts();
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page: UserPage | undefined = await listing?.list({ ...everyUser, limit: 2, after });
      found.push(...(page?.users.map(({ email }) => email.address) ?? []));
      after = page?.next;
    } while (after !== undefined);
    expect(found).to.deep.equal(['ada', 'c-0', 'c-1', 'c-2', 'c-3', 'c-4'].map((name) => `${name}@example.com`));
  });

  it('keeps out a write that does not know the reservation: an insert, and a move', async () => {
    create();
    const { users } = await database.openPorts();
    const refused = { taken: key, reservation };
    expect(await users.insert(reserved, { names: [nameOf('a')] })).to.deep.equal(refused);
    expect(await users.insert(reserved, { reservations: [{ key, version: 'another' }] })).to.deep.equal(refused);
    const stored = { user: ada, version: 'v-ada' };
    expect(await users.replace(stored, reserved)).to.deep.equal(refused);
    expect(await users.replace({ ...stored, version: 'former' }, reserved)).to.equal('stale');
    const moved = written(await users.replace(stored, reserved, { reservations: [reservation] }));
    expect(await users.find(key)).to.deep.equal(moved);
    expect(keys()).to.deep.equal(['reservations-3@latchkey.invalid', 'reserved@example.com']);
    expect(await users.remove(moved)).to.equal('removed');
    expect(await users.insert(reserved), 'the reservation has ended').to.have.property('version');
  });

  it('names a taken name only if the address is free', async () => {
    create();
    const { users } = await database.openPorts();
    const names = [nameOf('a')];
    written(await users.insert(userOf('holder@example.com'), { names }));
    const refused = { taken: key, reservation };
    expect(await users.insert(reserved, { names })).to.deep.equal(refused);
    expect(await users.insert(reserved, { names, reservations: [reservation] })).to.deep.equal({ taken: names[0] });
    expect(await users.insert(reserved), 'the reservation is kept').to.deep.equal(refused);
  });

  it('has damaged users whose password is empty, which nothing takes for reservations', async () => {
    create();
    const damaged = ['bea@example.com', 'reservations-x@example.com'];
    for (const address of damaged) add(address, '', 1, '{"plan":"paid"}');
    const { users, listing, search } = await database.openPorts();
    for (const address of damaged) await expectUnreadable({ users }, userOf(address));
    const page = await listing?.list({ ...everyUser, limit: 10, after: undefined });
    expect(page?.unreadable?.map(({ record }) => record)).to.deep.equal(damaged);
    expect(await search?.count(everyUser, 10)).to.equal(3);
    expect(keys()).to.include.members(damaged);
  });

  it('renews the reservation, which the former version then no longer ends', async () => {
    create();
    const { users } = await database.openPorts();
    const renewed = await users.reserve(key);
    expect(keys()).not.to.include(key);
    expect(await users.insert(reserved, { reservations: [reservation] })).to.deep.equal({
      taken: key,
      reservation: renewed,
    });
  });

  it('ends a reservation an hour after it was made, by the clock of the service', async () => {
    create(1);
    const clock = new ManualClock(1);
    const { users } = await database.openPorts(undefined, undefined, undefined, clock);
    expect(await users.insert(reserved)).to.deep.equal({ taken: key, reservation });
    const [other, later] = ['other@example.com', 'later@example.com'].map(addressOf).map(keyOf);
    const isReserved = async () => 'taken' in (await users.insert(reserved));
    clock.time += hourMs;
    await users.reserve(other ?? key);
    expect(await isReserved(), 'after an hour').to.equal(true);
    clock.time += 1;
    await users.reserve(later ?? key);
    expect(await isReserved(), 'a millisecond later').to.equal(false);
    expect(
      inFile((file) => file.prepare('SELECT name, expiry - 1 FROM entries ORDER BY name').raw().all()),
    ).to.deep.equal([
      [later, 2 * hourMs + 1],
      [other, 2 * hourMs],
    ]);
  });

  it('loses reservations and pages that are over an hour old, when a key is reserved', async () => {
    create(Date.now() - hourMs - 60_000);
    const { users } = await database.openPorts();
    // Of a former version that still has the file open.
    add('young@example.com', '', Date.now());
    add('reservations-7@latchkey.invalid', '', Date.now(), JSON.stringify({ 'young@example.com': 'mark' }));
    add('reservations-8@latchkey.invalid', '', 1, 'damaged');
    add('reservations-9@latchkey.invalid', 'a password', 1, JSON.stringify({ 'young@example.com': 'of a user' }));
    const { email } = userOf('other@example.com');
    for (let n = 0; n < 4; n++) expect(await users.reserve(keyOf(email.address))).to.have.property('version');
    expect(keys()).to.deep.equal([
      'ada@example.com',
      'reservations-7@latchkey.invalid',
      'reservations-9@latchkey.invalid',
      'young@example.com',
    ]);
    expect(await users.insert(reserved)).to.have.property('version');
  });
});
