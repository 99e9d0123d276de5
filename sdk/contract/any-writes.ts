import { expect } from 'chai';
import * as fc from 'fast-check';
import { MemoryUserStore } from '../../adapters/stores/memory/index.ts';
import type { Reservation, StoredUser, StorePorts, Taken } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { UserKey, UserName } from '../../domain/user-name.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { inOrder, NamedUsers, nameOf } from './named-users.ts';
import { isWritten } from './outcomes.ts';

const pool = 3;
const position = fc.nat({ max: pool - 1 });

/** A write of a user of one of few addresses, with some of few names. */
const writes = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'replace', 'replace', 'remove', 'reserve', 'reserveName'),
  address: position,
  next: position,
  names: fc.uniqueArray(position, { maxLength: 2 }),
  /** Whether it is made with the version before the last one. */
  isLate: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
  knowsReservations: fc.integer({ min: 0, max: 3 }).map((one) => one > 0),
});
type Write = typeof writes extends fc.Arbitrary<infer One> ? One : never;

/** A late write that needs a key of another user may be refused for either reason. */
const outcomeOf = (outcome: StoredUser | Taken | 'stale'): string => (isWritten(outcome) ? 'written' : 'refused');

/** A store, and what its caller has read of it. */
class Caller {
  private readonly read = new Map<string, StoredUser[]>();
  private readonly reservations = new Map<UserKey, Reservation>();

  constructor(
    private readonly ports: Required<Pick<StorePorts, 'users' | 'names'>>,
    private readonly addresses: readonly string[],
    private readonly names: readonly UserName[],
  ) {}

  /** Makes a write. Resolves with its outcome, without versions. */
  async make(write: Write, step: number): Promise<string> {
    const { users } = this.ports;
    const [from, to] = [this.addresses[write.address] ?? '', this.addresses[write.next] ?? ''];
    const names = this.names.filter((_, index) => write.names.includes(index));
    const reservations = write.knowsReservations ? [...this.reservations.values()] : [];
    if (write.kind === 'reserve') return this.reserve(keyOf(addressOf(from)));
    if (write.kind === 'reserveName') return this.reserve(this.names[write.address] ?? nameOf(''));
    const next = userOf(write.kind === 'insert' ? from : to, { password: `step ${step}` });
    if (write.kind === 'insert') return outcomeOf(await users.insert(next, { names, reservations }));
    const versions = this.read.get(from) ?? [];
    const previous = versions.at(write.isLate ? -2 : -1);
    if (previous === undefined) return 'none';
    if (write.kind === 'remove') return users.remove(previous);
    return outcomeOf(await users.replace(previous, next, { names, reservations }));
  }

  /** What is found by every address and name, without versions. */
  state(): Promise<readonly unknown[]> {
    const byAddress = this.addresses.map(async (address) => {
      const found = await this.ports.users.find(keyOf(addressOf(address)));
      const versions = this.read.get(address) ?? [];
      if (found !== undefined && versions.at(-1)?.version !== found.version) versions.push(found);
      this.read.set(address, versions);
      return [address, found?.user, inOrder(found)?.names];
    });
    const byName = this.names.map(async (name) => {
      const found = await this.ports.names.find(name);
      return [name, found?.user.email.address, found?.user.password];
    });
    return Promise.all([...byAddress, ...byName]);
  }

  private async reserve(key: UserKey): Promise<string> {
    const reservation = await this.ports.users.reserve(key);
    if (reservation === 'taken') return 'taken';
    this.reservations.set(key, reservation);
    return 'reserved';
  }
}

/** Any sequence of writes has the outcomes, and leaves the users, that it has in memory. */
export const anyWrites = (named: NamedUsers): void => {
  it('makes any sequence of writes as a store in memory does', async function () {
    this.timeout(120_000);
    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 20, maxLength: 40 }), async (sequenceOfWrites) => {
        const prefix = `any-${++sequence}`;
        const addresses = Array.from({ length: pool }, (_, n) => `${prefix}-${n}@example.com`);
        const names = Array.from({ length: pool }, (_, n) => nameOf(`${prefix} ${n}`));
        const tested = new Caller(named.ports, addresses, names);
        const expected = new Caller(new NamedUsers(() => new MemoryUserStore().ports, '').ports, addresses, names);
        for (const [step, write] of sequenceOfWrites.entries()) {
          expect(await tested.make(write, step), `step ${step}`).to.equal(await expected.make(write, step));
          expect(await tested.state(), `after step ${step}`).to.deep.equal(await expected.state());
        }
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
};
