import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { DelegatingHash } from '../../../../adapters/password-hashes/delegating-hash.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { Fault } from '../../../../application/fault.ts';
import { PasswordCheck } from '../../../../application/passwords/password-check.ts';
import { Rehasher } from '../../../../application/passwords/rehasher.ts';
import type { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { noDomainEvents } from '../../../../application/users/domain-events.ts';
import { OptimisticUpdate } from '../../../../application/users/optimistic-update.ts';
import { asProperties } from '../../../../domain/custom-properties.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { largestUser, type User } from '../../../../domain/user.ts';
import { userOf } from '../../../support/arbitraries.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { SetClock } from '../../../support/doubles/set-clock.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { eventually } from '../../../support/recovery.ts';
import { usualPolicy } from '../wired-service.ts';

/** The form of an older system: sha256 without a salt. */
const bare = (password: string): string => createHash('sha256').update(password).digest('hex');

const now = 1_800_000_000_000;

const open = async (inner?: PasswordHash) => {
  const store = new InterruptedUserStore();
  const hash = new RecordingHash(inner ?? (await sha256.open({}, silentContext)));
  const warnings: string[] = [];
  const log = {
    ...silentContext.log,
    warn: (fields: object, message: string) => void warnings.push(`${message}: ${JSON.stringify(fields)}`),
  };
  const renewal = new Rehasher(store, new OptimisticUpdate(store, noDomainEvents), hash, new SetClock(now), log);
  const insert = async (address = 'jane@example.com', changes: Partial<Omit<User, 'email'>> = {}) => {
    const user = userOf(address, { password: bare('Secret1'), ...changes });
    await store.insert(user);
    return user;
  };
  const stored = async (user: User) => (await store.now(keyOf(user.email.address)))?.user;
  /** Waits until the form of a user is as a new one. */
  const renewed = (user: User): Promise<User> =>
    eventually(async () => {
      const found = await stored(user);
      if (found === undefined || hash.inspect(found.password) !== 'current') throw new Error('it is outdated still');
      return found;
    }, 5_000);
  let settlings = 0;
  /** Waits until everything that was offered is done: the last one comes after all others. */
  const settled = async (): Promise<void> => {
    const last = await insert(`last-${++settlings}@example.com`);
    renewal.offer(last, 'Secret1');
    await renewed(last);
    hash.hashed.pop();
  };
  return { store, hash, renewal, warnings, insert, stored, renewed, settled };
};

/** Lets an algorithm hash when it is told to, and notes how many hashes are made at once. */
class HeldHash extends RecordingHash {
  active = 0;
  most = 0;
  private release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  override async hash(password: string): Promise<string> {
    this.active++;
    this.most = Math.max(this.most, this.active);
    await this.released;
    this.active--;
    return super.hash(password);
  }

  /** From now on nothing is held back. */
  go(): void {
    this.release();
  }
}

describe('a password whose stored form is outdated', () => {
  it('is stored anew after it was checked, and nothing else of the user changes but the time', async () => {
    const { hash, renewal, insert, renewed } = await open();
    const user = await insert(undefined, { properties: asProperties('{"plan":"free"}') });
    renewal.offer(user, 'Secret1');
    const { password, ...others } = await renewed(user);
    const { password: former, ...before } = user;
    expect(password).not.to.equal(former);
    expect(await hash.verify(password, 'Secret1')).to.equal(true);
    expect(others).to.deep.equal({ ...before, lastUpdateTime: now });
  });

  it('has a later time of change also when the clock went back', async () => {
    const { renewal, insert, renewed } = await open();
    const user = await insert(undefined, { lastUpdateTime: now + 5 });
    renewal.offer(user, 'Secret1');
    expect((await renewed(user)).lastUpdateTime).to.equal(now + 6);
  });

  it('is hashed once, however many checks find it at once', async () => {
    const { store, hash, renewal, insert, renewed, settled } = await open();
    const user = await insert();
    for (let count = 0; count < 64; count++) renewal.offer(user, 'Secret1');
    await renewed(user);
    expect(store.reads, 'before the hash, and before the write').to.equal(2);
    await settled();
    // A check that read the user before, and ends after.
    renewal.offer(user, 'Secret1');
    await settled();
    expect(hash.hashed).to.deep.equal(['Secret1']);
  });

  it('is stored with what was meant, and not with the mistake that was forgiven', async () => {
    const { hash, renewal, insert, renewed } = await open();
    const user = await insert();
    const policy = { ...usualPolicy, allowCommonMistakes: true };
    const check = new PasswordCheck(hash, policy, Number.POSITIVE_INFINITY, { renewal });
    expect(await check.passes(user, 'sECRET1')).to.equal(true);
    const { password } = await renewed(user);
    expect(await hash.verify(password, 'Secret1')).to.equal(true);
    expect(await hash.verify(password, 'sECRET1')).to.equal(false);
  });

  it('is left alone after a check that failed', async () => {
    const { hash, renewal, insert, settled } = await open();
    const check = new PasswordCheck(hash, usualPolicy, Number.POSITIVE_INFINITY, { renewal });
    expect(await check.passes(await insert(), 'secret1')).to.equal(false);
    await settled();
    expect(hash.hashed).to.deep.equal([]);
  });

  it('is left alone where its form is current, or none that the algorithm tells', async () => {
    const { hash, renewal, insert, settled } = await open();
    const current = await hash.hash('Secret1');
    hash.hashed.length = 0;
    renewal.offer(await insert('one@example.com', { password: current }), 'Secret1');
    renewal.offer(await insert('two@example.com', { password: 'no form' }), 'Secret1');
    await settled();
    expect(hash.hashed).to.deep.equal([]);
  });

  it('is left alone where the algorithm would not read all of it', async () => {
    const cheap = await bcrypt.open({ cost: 4 }, silentContext);
    const { hash, renewal, insert, warnings, settled } = await open(
      new DelegatingHash(cheap, [await sha256.open({}, silentContext)]),
    );
    const long = 'p'.repeat(73);
    renewal.offer(await insert(undefined, { password: bare(long) }), long);
    await settled();
    expect(hash.hashed).to.deep.equal([]);
    expect(warnings).to.deep.equal([]);
  });

  it('is left alone where the user would become too large', async () => {
    const { renewal, insert, stored, settled } = await open();
    const empty = Buffer.byteLength(JSON.stringify({ ...userOf('jane@example.com'), password: bare('Secret1') }));
    const properties = asProperties(`{"text":"${'x'.repeat(largestUser - empty + 4)}"}`);
    const user = await insert(undefined, { properties });
    renewal.offer(user, 'Secret1');
    await settled();
    expect(await stored(user)).to.deep.equal(user);
  });
});

describe('a form that was replaced', () => {
  it('is remembered where it costs more to verify than a new one, and not otherwise', async () => {
    const costing = async (cost: number) => bcrypt.open({ cost }, silentContext);
    const { renewal, insert, renewed } = await open(await costing(5));
    for (const [address, cost] of [
      ['cheap@example.com', 4],
      ['expensive@example.com', 6],
    ] as const) {
      const former = await (await costing(cost)).hash('Secret1');
      const user = await insert(address, { password: former });
      renewal.offer(user, 'Secret1');
      const { password } = await renewed(user);
      expect(renewal.formerOf(password), address).to.equal(cost > 5 ? former : undefined);
      expect(renewal.formerOf(former), address).to.equal(undefined);
    }
  });
});

describe('a change of the user while the password is stored anew', () => {
  it('is kept when it comes right before the write', async () => {
    const { store, renewal, insert, renewed } = await open();
    const user = await insert();
    const properties = asProperties('{"plan":"paid"}');
    // After the first read; then after the one that the write depends on.
    store.meanwhile.push(async () => undefined);
    store.interrupt(1, keyOf(user.email.address), (found) => ({ ...found, properties }));
    renewal.offer(user, 'Secret1');
    expect((await renewed(user)).properties).to.equal(properties);
  });

  it('is kept when it comes during the work', async () => {
    const held = new HeldHash(await sha256.open({}, silentContext));
    const { store, renewal, insert, renewed } = await open(held);
    const user = await insert();
    renewal.offer(user, 'Secret1');
    await eventually(async () => expect(held.active).to.equal(1), 5_000);
    const properties = asProperties('{"plan":"paid"}');
    store.interrupt(1, keyOf(user.email.address), (found) => ({ ...found, properties }));
    await store.find(keyOf(user.email.address));
    held.go();
    expect((await renewed(user)).properties).to.equal(properties);
  });

  for (const [name, change] of [
    ['a new password', (user: User) => ({ ...user, password: bare('another') })],
    ['a removal', () => 'removed' as const],
  ] as const) {
    it(`is left as it is when it is ${name}`, async () => {
      const held = new HeldHash(await sha256.open({}, silentContext));
      const { store, renewal, insert, stored, settled } = await open(held);
      const user = await insert();
      renewal.offer(user, 'Secret1');
      await eventually(async () => expect(held.active).to.equal(1), 5_000);
      store.interrupt(1, keyOf(user.email.address), change);
      await store.find(keyOf(user.email.address));
      const left = await stored(user);
      held.go();
      await settled();
      expect(await stored(user)).to.deep.equal(left);
    });
  }
});

describe('storing passwords anew', () => {
  it('says that the store or the algorithm failed, without a value, and tries again with the next check', async () => {
    class Overloaded extends RecordingHash {
      refusals = 1;
      override async hash(password: string): Promise<string> {
        if (this.refusals-- > 0) throw new Fault('overloaded', 'too much to do');
        return super.hash(password);
      }
    }
    const { store, renewal, warnings, insert, renewed } = await open(
      new Overloaded(await sha256.open({}, silentContext)),
    );
    const user = await insert();
    store.fault = new Fault('store_unavailable', 'the store is away');
    renewal.offer(user, 'Secret1');
    await eventually(async () => expect(warnings).to.have.lengthOf(1), 5_000);
    store.fault = undefined;
    await eventually(async () => {
      renewal.offer(user, 'Secret1');
      expect(warnings).to.have.lengthOf(2);
    }, 5_000);
    await eventually(async () => {
      renewal.offer(user, 'Secret1');
      expect((await store.now(keyOf(user.email.address)))?.user.password).not.to.equal(user.password);
    }, 5_000);
    await renewed(user);
    const message = 'a password could not be stored anew; its next check tries again';
    expect(warnings).to.deep.equal([
      `${message}: {"reason":"the store is away"}`,
      `${message}: {"reason":"too much to do"}`,
    ]);
  });

  it('hashes one at a time, and takes a hundred at most', async () => {
    const held = new HeldHash(await sha256.open({}, silentContext));
    const { renewal, insert, renewed, stored } = await open(held);
    const all: User[] = [];
    for (let count = 0; count < 102; count++) all.push(await insert(`user-${count}@example.com`));
    for (const user of all) renewal.offer(user, 'Secret1');
    await eventually(async () => expect(held.active).to.equal(1), 5_000);
    held.go();
    for (const user of all.slice(0, 100)) await renewed(user);
    expect(held.most).to.equal(1);
    for (const user of all.slice(100)) expect(await stored(user)).to.deep.equal(user);
    for (const user of all.slice(100)) renewal.offer(user, 'Secret1');
    for (const user of all.slice(100)) await renewed(user);
  });

  it('finishes what is at work when it is stopped, gives up what waits, and takes no more', async () => {
    const held = new HeldHash(await sha256.open({}, silentContext));
    const { renewal, insert, stored, renewed } = await open(held);
    const [first, second, third] = [
      await insert('a@example.com'),
      await insert('b@example.com'),
      await insert('c@example.com'),
    ];
    renewal.offer(first, 'Secret1');
    renewal.offer(second, 'Secret1');
    await eventually(async () => expect(held.active).to.equal(1), 5_000);
    const stopped = renewal.stop();
    renewal.offer(third, 'Secret1');
    held.go();
    await stopped;
    await renewed(first);
    expect(held.hashed).to.deep.equal(['Secret1']);
    for (const user of [second, third]) expect(await stored(user)).to.deep.equal(user);
  });
});
