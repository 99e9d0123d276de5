import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import { freshAddress } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import { killDuringChanges } from './kill.ts';

const password = 'a password of the renames';

/** A user that alternates between two addresses. Stores the number of the change with the user. */
class Mover {
  private readonly addresses = [freshAddress(), freshAddress()] as const;
  private step = 0;
  moves = 0;

  private addressAt(step: number): string {
    return this.addresses[step % 2 === 0 ? 0 : 1];
  }

  async create(caller: Caller): Promise<void> {
    const body = { email: { address: this.addressAt(0) }, password, step: 0 };
    expect((await caller.call('POST', '/users', body))?.status).to.equal(201);
  }

  /** Changes the address until the service was killed. */
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

  /** Checks that exactly one of the addresses exists, with the step that belongs to it. */
  async verify(caller: Caller): Promise<void> {
    const found: number[] = [];
    for (const address of this.addresses) {
      const response = await caller.call('GET', at(address), undefined, { password });
      expect(response?.status, address).to.be.oneOf([200, 404]);
      if (response?.status !== 200) continue;
      const { email, step } = JSON.parse(response.body);
      expect(email.address).to.equal(address).and.to.equal(this.addressAt(step));
      found.push(step);
    }
    expect(found, 'one user under one address').to.have.length(1);
    expect(found[0]).to.be.oneOf([this.step, this.step + 1]);
    this.step = found[0] ?? this.step;
  }
}

const movesOf = (movers: readonly Mover[]): number => movers.reduce((sum, mover) => sum + mover.moves, 0);

const killWhileMoving = async (serving: Serving, movers: readonly Mover[]): Promise<void> => {
  const caller = new Caller(serving.url);
  const moving = movers.map((mover) => mover.move(caller));
  const killing = killDuringChanges(serving.run.child, () => movesOf(movers), 1 + Math.random() * 2 * movers.length);
  await Promise.all([killing, ...moving]);
  caller.close();
  await serving.run.ended;
};

/** A round kills the service during changes of addresses. */
export const addressChange = (database: Database): Guarantee => ({
  name: `a change of address on ${database.name} is atomic, also when the service is killed during it`,
  rounds: { short: 3, long: 200 },
  timeoutMs: 60_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    const { yaml, dispose } = await database.open();
    try {
      await installation.configure({ database: yaml });
      const movers = Array.from({ length: 8 }, () => new Mover());
      let serving = await installation.serve();
      const first = new Caller(serving.url);
      await Promise.all(movers.map((mover) => mover.create(first)));
      first.close();
      for (let round = 0; round < rounds; round++) {
        await killWhileMoving(serving, movers);
        serving = await installation.serve();
        const caller = new Caller(serving.url);
        await Promise.all(movers.map((mover) => mover.verify(caller)));
        caller.close();
      }
      return `${rounds} kills, ${movesOf(movers)} changes answered, exactly one address each time`;
    } finally {
      await installation.dispose();
      await dispose();
    }
  },
});
