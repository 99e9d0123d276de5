import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { DelegatingHash } from '../../../../adapters/password-hashes/delegating-hash.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { Fault } from '../../../../application/fault.ts';
import { isKnownFormer, Rehasher } from '../../../../application/passwords/rehasher.ts';
import type { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { withoutKeptTag } from '../../../../domain/entity-tag.ts';
import type { User } from '../../../../domain/user.ts';
import { maxUserBytes } from '../../../../domain/user-limits.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { eventually } from '../../../support/eventually.ts';
import { passwordServices, usualPolicy } from '../wired-service.ts';

/** The form of an older system: sha256 without a salt. */
const bare = (password: string): string => createHash('sha256').update(password).digest('hex');

const open = async (inner?: PasswordHash) => {
  const store = new InterruptedUserStore();
  const hash = new RecordingHash(inner ?? (await sha256.open({}, silentContext)));
  const warnings: string[] = [];
  const log = {
    ...silentContext.log,
    warn: (fields: object, message: string) => void warnings.push(`${message}: ${JSON.stringify(fields)}`),
  };
  const updates = new OptimisticUpdate(new SettlingStore(store.ports), userLimits());
  const rehasher = new Rehasher(store, updates, hash, log);
  const insert = async (address = 'jane@example.com', changes: Partial<Omit<User, 'email'>> = {}) => {
    const user = userOf(address, { password: bare('Secret1'), ...changes });
    await store.insert(user);
    return user;
  };
  const stored = async (user: User) => (await store.now(keyOf(user.email.address)))?.user;
  /** Waits until the stored hash of a user is current. */
  const rehashed = (user: User): Promise<User> =>
    eventually(async () => {
      const found = await stored(user);
      if (found === undefined || hash.inspect(found.password) !== 'current')
        throw new Error('the stored hash is still outdated');
      return found;
    }, 5_000);
  let lastUsers = 0;
  /** Waits until everything scheduled is done, by scheduling one more. */
  const settled = async (): Promise<void> => {
    const last = await insert(`last-${++lastUsers}@example.com`);
    rehasher.schedule(last, 'Secret1');
    await rehashed(last);
    hash.hashed.pop();
  };
  return { store, hash, rehasher, warnings, insert, stored, rehashed, settled };
};

/** Holds hashes back until it is released, and records how many run concurrently. */
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

  /** Releases all hashes from now on. */
  go(): void {
    this.release();
  }
}

describe('a password with an outdated stored hash', () => {
  it('is rehashed after a check; nothing else changes, not even the time of the update', async () => {
    const { hash, rehasher, insert, rehashed } = await open();
    const user = await insert(undefined, { properties: asProperties('{"plan":"free"}') });
    rehasher.schedule(user, 'Secret1');
    const { password, ...others } = await rehashed(user);
    const { password: former, ...before } = user;
    expect(password).not.to.equal(former);
    expect(await hash.verify(password, 'Secret1')).to.equal(true);
    expect(withoutKeptTag({ ...others, password: former })).to.deep.equal({ ...before, password: former });
  });

  it('is hashed once for many concurrent checks', async () => {
    const { store, hash, rehasher, insert, rehashed, settled } = await open();
    const user = await insert();
    for (let count = 0; count < 64; count++) rehasher.schedule(user, 'Secret1');
    await rehashed(user);
    expect(store.reads, 'before the hash, and before the write').to.equal(2);
    await settled();
    // A check that read the user before and ends after the rehash.
    rehasher.schedule(user, 'Secret1');
    await settled();
    expect(hash.hashed).to.deep.equal(['Secret1']);
  });

  it('is rehashed without the typo of the caller', async () => {
    const { hash, rehasher, insert, rehashed } = await open();
    const user = await insert();
    const policy = { ...usualPolicy, allowCommonMistakes: true };
    const check = passwordServices(hash, policy, { rehasher }).check;
    expect(await check.matches(user, 'sECRET1')).to.equal(true);
    const { password } = await rehashed(user);
    expect(await hash.verify(password, 'Secret1')).to.equal(true);
    expect(await hash.verify(password, 'sECRET1')).to.equal(false);
  });

  it('is kept after a failed check', async () => {
    const { hash, rehasher, insert, settled } = await open();
    const check = passwordServices(hash, usualPolicy, { rehasher }).check;
    expect(await check.matches(await insert(), 'secret1')).to.equal(false);
    await settled();
    expect(hash.hashed).to.deep.equal([]);
  });

  it('is kept if its stored hash is current or unknown to the algorithm', async () => {
    const { hash, rehasher, insert, settled } = await open();
    const current = await hash.hash('Secret1');
    hash.hashed.length = 0;
    rehasher.schedule(await insert('one@example.com', { password: current }), 'Secret1');
    rehasher.schedule(await insert('two@example.com', { password: 'no form' }), 'Secret1');
    await settled();
    expect(hash.hashed).to.deep.equal([]);
  });

  it('is kept if the algorithm would ignore part of the password', async () => {
    const cheap = await bcrypt.open({ cost: 4 }, silentContext);
    const { hash, rehasher, insert, warnings, settled } = await open(
      new DelegatingHash(cheap, [await sha256.open({}, silentContext)]),
    );
    const long = 'p'.repeat(73);
    rehasher.schedule(await insert(undefined, { password: bare(long) }), long);
    await settled();
    expect(hash.hashed).to.deep.equal([]);
    expect(warnings).to.deep.equal([]);
  });

  it('is kept if the user would become too large', async () => {
    const { rehasher, insert, stored, settled } = await open();
    const empty = Buffer.byteLength(JSON.stringify({ ...userOf('jane@example.com'), password: bare('Secret1') }));
    const properties = asProperties(`{"text":"${'x'.repeat(maxUserBytes - empty + 4)}"}`);
    const user = await insert(undefined, { properties });
    rehasher.schedule(user, 'Secret1');
    await settled();
    expect(await stored(user)).to.deep.equal(user);
  });
});

describe('a replaced form', () => {
  it('is recognized later only if it costs more to verify than a new one', async () => {
    const costing = async (cost: number) => bcrypt.open({ cost }, silentContext);
    const { rehasher, insert, rehashed } = await open(await costing(5));
    for (const [address, cost] of [
      ['cheap@example.com', 4],
      ['expensive@example.com', 6],
    ] as const) {
      const former = await (await costing(cost)).hash('Secret1');
      const user = await insert(address, { password: former });
      rehasher.schedule(user, 'Secret1');
      const after = await rehashed(user);
      expect(isKnownFormer(former, after), address).to.equal(cost > 5);
      expect(isKnownFormer(after.password, after), address).to.equal(false);
    }
  });
});

describe('a change of the user during rehashing', () => {
  it('is kept if it comes right before the write', async () => {
    const { store, rehasher, insert, rehashed } = await open();
    const user = await insert();
    const properties = asProperties('{"plan":"paid"}');
    // After the first read, then after the read of the update.
    store.meanwhile.push(async () => undefined);
    store.interrupt(1, keyOf(user.email.address), (found) => ({ ...found, properties }));
    rehasher.schedule(user, 'Secret1');
    expect((await rehashed(user)).properties).to.equal(properties);
  });

  it('is kept if it comes during hashing', async () => {
    const held = new HeldHash(await sha256.open({}, silentContext));
    const { store, rehasher, insert, rehashed } = await open(held);
    const user = await insert();
    rehasher.schedule(user, 'Secret1');
    await eventually(async () => expect(held.active).to.equal(1), 5_000);
    const properties = asProperties('{"plan":"paid"}');
    store.interrupt(1, keyOf(user.email.address), (found) => ({ ...found, properties }));
    await store.find(keyOf(user.email.address));
    held.go();
    expect((await rehashed(user)).properties).to.equal(properties);
  });

  for (const [name, change] of [
    ['a new password', (user: User) => ({ ...user, password: bare('another') })],
    ['a removal', () => 'removed' as const],
  ] as const) {
    it(`is kept if it is ${name}`, async () => {
      const held = new HeldHash(await sha256.open({}, silentContext));
      const { store, rehasher, insert, stored, settled } = await open(held);
      const user = await insert();
      rehasher.schedule(user, 'Secret1');
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

describe('rehashing', () => {
  it('logs failures of the store and the algorithm without values, and tries again with the next check', async () => {
    class Overloaded extends RecordingHash {
      refusals = 1;
      override async hash(password: string): Promise<string> {
        if (this.refusals-- > 0) throw new Fault('overloaded', 'too much to do');
        return super.hash(password);
      }
    }
    const { store, rehasher, warnings, insert, rehashed } = await open(
      new Overloaded(await sha256.open({}, silentContext)),
    );
    const user = await insert();
    store.fault = new Fault('store_unavailable', 'the store is away');
    rehasher.schedule(user, 'Secret1');
    await eventually(async () => expect(warnings).to.have.lengthOf(1), 5_000);
    store.fault = undefined;
    await eventually(async () => {
      rehasher.schedule(user, 'Secret1');
      expect(warnings).to.have.lengthOf(2);
    }, 5_000);
    await eventually(async () => {
      rehasher.schedule(user, 'Secret1');
      expect((await store.now(keyOf(user.email.address)))?.user.password).not.to.equal(user.password);
    }, 5_000);
    await rehashed(user);
    const message = 'could not rehash a password; its next check tries again';
    expect(warnings).to.deep.equal([
      `${message}: {"reason":"the store is away"}`,
      `${message}: {"reason":"too much to do"}`,
    ]);
  });

  it('hashes one password at a time, with at most a hundred in the queue', async () => {
    const held = new HeldHash(await sha256.open({}, silentContext));
    const { rehasher, insert, rehashed, stored } = await open(held);
    const all: User[] = [];
    for (let count = 0; count < 102; count++) all.push(await insert(`user-${count}@example.com`));
    for (const user of all) rehasher.schedule(user, 'Secret1');
    await eventually(async () => expect(held.active).to.equal(1), 5_000);
    held.go();
    for (const user of all.slice(0, 100)) await rehashed(user);
    expect(held.most).to.equal(1);
    for (const user of all.slice(100)) expect(await stored(user)).to.deep.equal(user);
    for (const user of all.slice(100)) rehasher.schedule(user, 'Secret1');
    for (const user of all.slice(100)) await rehashed(user);
  });

  it('finishes the running hash when stopped, drops the queue, and schedules nothing more', async () => {
    const held = new HeldHash(await sha256.open({}, silentContext));
    const { rehasher, insert, stored, rehashed } = await open(held);
    const [first, second, third] = [
      await insert('a@example.com'),
      await insert('b@example.com'),
      await insert('c@example.com'),
    ];
    rehasher.schedule(first, 'Secret1');
    rehasher.schedule(second, 'Secret1');
    await eventually(async () => expect(held.active).to.equal(1), 5_000);
    const stopped = rehasher.stop();
    rehasher.schedule(third, 'Secret1');
    held.go();
    await stopped;
    await rehashed(first);
    expect(held.hashed).to.deep.equal(['Secret1']);
    for (const user of [second, third]) expect(await stored(user)).to.deep.equal(user);
  });
});
