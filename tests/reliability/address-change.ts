import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { killDuringMoves, type Mover, onlyUserUnder, password } from './address-moves.ts';
import { at, type Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

/** A user whose address changes with each update. Stores the number of the change with the user. */
class UpdatingMover implements Mover {
  private readonly addresses;
  private step = 0;
  moves = 0;

  constructor(random: RandomStream) {
    this.addresses = [random.address(), random.address()] as const;
  }

  private addressAt(step: number): string {
    return this.addresses[step % 2 === 0 ? 0 : 1];
  }

  async create(caller: Caller): Promise<void> {
    const body = { email: { address: this.addressAt(0) }, password, step: 0 };
    expect((await caller.call('POST', '/users', body))?.status).to.equal(201);
  }

  async move(caller: Caller): Promise<void> {
    for (;;) {
      const next = this.step + 1;
      const body = { email: { address: this.addressAt(next) }, password, step: next };
      const response = await caller.call('PUT', at(this.addressAt(this.step)), body, { password });
      if (response === undefined) return;
      expect(response.status, response.body).to.equal(200);
      this.step = next;
      this.moves += 1;
    }
  }

  async verify(caller: Caller): Promise<void> {
    const { email, step } = await onlyUserUnder(caller, this.addresses);
    expect(email.address).to.equal(this.addressAt(step));
    expect(step).to.be.oneOf([this.step, this.step + 1]);
    this.step = step;
  }
}

/** A round kills the service during changes of addresses. */
export const addressChange = (database: Database): Guarantee => ({
  name: `a change of address on ${database.name} is atomic, also when the service is killed during it`,
  rounds: { short: 3, long: 200 },
  timeoutMs: 60_000,
  run: async (rounds, random) => {
    const moves = await killDuringMoves(database, rounds, random, {}, () =>
      Array.from({ length: 8 }, (_, mover) => new UpdatingMover(random.stream('mover', mover))),
    );
    return `${rounds} kills, ${moves} changes answered, exactly one address each time`;
  },
});
