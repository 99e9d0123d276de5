import { expect } from 'chai';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { administrator as by } from '../../../../application/administration/administrator.ts';
import { EndUserHandler } from '../../../../application/administration/end-user.ts';
import { CommandBus } from '../../../../application/bus.ts';
import { DomainEvents } from '../../../../application/outgoing/domain-events.ts';
import type { Log } from '../../../../application/ports/log.ts';
import {
  countUnverified,
  UnverifiedUsers,
  unverifiedDestination,
} from '../../../../application/unverified/unverified-users.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { isUnverifiedTooLong } from '../../../../domain/unverified.ts';
import type { User } from '../../../../domain/user.ts';
import { confirmVerification } from '../../../../domain/verification.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = 1_800_000_000_000;
const problem = 'the clock was set, differs between instances, or no instance was running';
const policy = {
  unverifiedLifetimeMs: 7 * day,
  tokenLifetimeMs: null,
  invitationLifetimeMs: null,
  recoveryLifetimeMs: null,
};
/** The rest between two passes: a twenty-fourth of the time to verify, and at most so long. */
const rest = 6 * hour;

const unverified = (address: string, creationTime: number, token: string | null = null): User => ({
  ...userOf(address, { creationTime, lastUpdateTime: creationTime }),
  email: { address: addressOf(address), verification: { verified: false, token } },
});

describe('the deletion of users who never verified an address', () => {
  let store: InterruptedUserStore;
  let outbox: MemoryEventOutbox;
  let clock: ManualClock;
  let lines: string[];

  const write = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: write, warn: write, error: write };

  beforeEach(() => {
    store = new InterruptedUserStore();
    outbox = new MemoryEventOutbox();
    clock = new ManualClock(start);
    lines = [];
  });

  const commands = (): CommandBus => {
    const events = new DomainEvents(
      [{ destination: 'webhook', types: ['user.deleted'] }],
      clock,
      () => 'id',
      () => [],
    );
    const updates = new OptimisticUpdate(new SettlingStore(store.ports), userLimits(), events);
    return new CommandBus({ EndUser: new EndUserHandler(updates) }, (_, next) => next());
  };

  /** A process. */
  const opened = (): UnverifiedUsers =>
    new UnverifiedUsers({ commands: commands(), listing: store, outbox, clock, log, policy });

  const exists = async (address: string): Promise<boolean> =>
    (await store.now(keyOf(addressOf(address)))) !== undefined;

  const records = async () => (await outbox.list(unverifiedDestination, 10)).events;

  it('begins with a rest, and goes on with one pass per rest', async () => {
    await store.insert(unverified('old@example.com', start - 8 * day));
    await store.insert(unverified('new@example.com', start - day));
    const process = opened();
    await process.turn();
    expect(await exists('old@example.com')).to.equal(true);
    clock.time += rest;
    await process.turn();
    expect([await exists('old@example.com'), await exists('new@example.com')]).to.deep.equal([false, true]);
    expect(process.deleted).to.equal(1);
    expect(lines).to.deep.equal(['deleted users whose address was not verified in time {"users":1}']);
    clock.time += 6 * day;
    for (const _ of [1, 2]) {
      await process.turn();
      clock.time += rest;
    }
    expect(await exists('new@example.com')).to.equal(false);
  });

  it('deletes nothing for a rest after the clock was set forward, and nothing if it was corrected by then', async () => {
    await store.insert(unverified('new@example.com', start));
    const process = opened();
    await process.turn();
    clock.time += 365 * day;
    await process.turn();
    expect(process.problem).to.equal(problem);
    clock.time -= 365 * day;
    await process.turn();
    expect(process.problem).to.equal(problem);
    clock.time += rest;
    await process.turn();
    expect(process.problem).to.equal(undefined);
    expect(await exists('new@example.com')).to.equal(true);
    // No process ran for a year: after a rest, the clock counts as right.
    clock.time += 365 * day;
    await process.turn();
    expect(await exists('new@example.com')).to.equal(true);
    clock.time += rest;
    await process.turn();
    expect(await exists('new@example.com')).to.equal(false);
  });

  it('notices that the clock was set while a page was worked on, and deletes no user of the next one', async () => {
    for (let n = 0; n < 100; n++) await store.insert(unverified(`a-${n}@example.com`, start - 8 * day));
    await store.insert(unverified('new@example.com', start));
    const process = opened();
    await process.turn();
    clock.time += rest;
    const list = store.list.bind(store);
    store.list = (listing) => {
      store.list = list;
      clock.time += 365 * day;
      return list(listing);
    };
    await process.turn();
    expect([process.deleted, process.problem]).to.deep.equal([100, undefined]);
    clock.time += 60_000;
    await process.turn();
    expect(process.problem).to.equal(problem);
    expect(await exists('new@example.com')).to.equal(true);
  });

  it('is done by one process at a time, and by another one if that ends', async () => {
    await store.insert(unverified('old@example.com', start - 8 * day));
    const process = opened();
    await process.turn();
    clock.time += rest;
    // As another process does that is killed afterwards.
    await outbox.claim(unverifiedDestination, 1, { now: clock.time, until: clock.time + 30_000 });
    await process.turn();
    expect(process.deleted).to.equal(0);
    clock.time += 30_000;
    await process.turn();
    expect(process.deleted).to.equal(1);
  });

  it('goes on with the next page, in whichever process', async () => {
    for (let n = 0; n < 150; n++) await store.insert(unverified(`user-${n}@example.com`, start - 8 * day));
    const [first, second] = [opened(), opened()];
    await first.turn();
    clock.time += rest;
    expect(await first.turn()).to.equal(1_000);
    expect(await second.turn()).to.be.within(1_000, 60_000);
    clock.time += 60_000;
    expect(await second.turn()).to.equal(rest);
    expect([first.deleted, second.deleted]).to.deep.equal([100, 50]);
  });

  it('begins another pass where its position is damaged', async () => {
    await store.insert(unverified('old@example.com', start - 8 * day));
    const body = '{"after":"ol';
    await outbox.add([{ id: `${start}-damaged`, destination: unverifiedDestination, time: start, body }]);
    const process = opened();
    await process.turn();
    expect([process.deleted, process.problem]).to.deep.equal([1, undefined]);
    expect((await records()).map((record) => record.body)).to.deep.equal(['{}']);
  });

  it('keeps one of the records that several processes have added', async () => {
    const [first, second] = [opened(), opened()];
    await Promise.all([first.turn(), second.turn()]);
    expect(await records()).to.have.lengthOf(2);
    await first.turn();
    expect(await records()).to.have.lengthOf(1);
  });

  it('begins, continues and stops by itself', async () => {
    const process = opened();
    process.start();
    await process.stop();
    expect(await records()).to.have.lengthOf.at.most(1);
  });

  const end = () =>
    commands().dispatch({
      type: 'EndUser',
      by,
      key: keyOf(addressOf('old@example.com')),
      reason: 'unverified',
      isOver: (user) => isUnverifiedTooLong(user, policy, clock.time),
    });

  it('is announced by user.deleted with the reason', async () => {
    await store.insert(unverified('old@example.com', start - 8 * day));
    expect(rightOf(await end())).to.equal(true);
    const events = (await store.ports.events?.list('webhook', 10))?.events ?? [];
    const written = events.map(({ body }) => JSON.parse(body));
    expect(written.map(({ type, data }) => [type, data.reason])).to.deep.equal([['user.deleted', 'unverified']]);
    expect(leftOf(await end()).code).to.equal('user_not_found');
  });

  it('loses against a verification that is stored first', async () => {
    const key = keyOf(addressOf('old@example.com'));
    await store.insert(unverified('old@example.com', start - 8 * day, 'a token'));
    store.interrupt(1, key, (user) => confirmVerification(user, clock.time));
    expect(rightOf(await end())).to.equal(false);
    expect((await store.now(key))?.user.email.verification.verified).to.equal(true);
  });

  it('is foretold, as far as the time suffices', async () => {
    await store.insert(unverified('old@example.com', start - 8 * day));
    await store.insert(unverified('new@example.com', start));
    expect(await countUnverified(store, policy, start, 1_000)).to.deep.equal({ count: 1, isExact: true });
    expect(await exists('old@example.com')).to.equal(true);
  });
});
