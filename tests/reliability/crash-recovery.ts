import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { type Kill, kill, killDuringChanges } from './kill.ts';

const password = 'a password of the crash test';

/** What is stored under an address: the number of the last step, or nothing. */
type State = number | 'absent';

/** One address of one client: the last acknowledged state, and the requested one while it is not acknowledged. */
interface AddressState {
  acknowledged: State;
  pending: State | undefined;
}

/** A client that writes to its own addresses, and records every response. */
export class Writer {
  readonly states = new Map<string, AddressState>();
  acknowledged = 0;
  private step = 0;

  constructor(private readonly name: string) {}

  /** Writes until the service was killed. */
  async write(caller: Pick<Caller, 'call'>): Promise<void> {
    for (;;) {
      this.step += 1;
      const address = `${this.name}-${this.step % 3}@example.com`;
      const addressState = this.states.get(address) ?? { acknowledged: 'absent', pending: undefined };
      this.states.set(address, addressState);
      if (!(await this.change(caller, address, addressState))) return;
      this.acknowledged += 1;
    }
  }

  private async change(caller: Pick<Caller, 'call'>, address: string, addressState: AddressState): Promise<boolean> {
    const removes = addressState.acknowledged !== 'absent' && this.step % 5 === 0;
    addressState.pending = removes ? 'absent' : this.step;
    const method = removes ? 'DELETE' : addressState.acknowledged === 'absent' ? 'POST' : 'PUT';
    const body = { email: { address }, password, step: this.step, again: this.step };
    const path = method === 'POST' ? '/users' : at(address);
    const response = await caller.call(method, path, removes ? undefined : body, { password });
    if (response === undefined) return false;
    expect(response.status, `${method} ${response.body}`).to.equal(method === 'POST' ? 201 : 200);
    addressState.acknowledged = addressState.pending;
    addressState.pending = undefined;
    return true;
  }

  /** Compares the stored users with the acknowledged ones. A change without a response may or may not be stored. */
  async verify(caller: Pick<Caller, 'call'>): Promise<void> {
    for (const [address, addressState] of this.states) {
      const response = await caller.call('GET', at(address), undefined, { password });
      expect(response?.status, address).to.be.oneOf([200, 404]);
      const user = response?.status === 200 ? JSON.parse(response.body) : undefined;
      if (user !== undefined) expect(user.again, 'a partial change').to.equal(user.step);
      const stored: State = user === undefined ? 'absent' : user.step;
      expect(stored, `${address} is neither in the acknowledged nor in the requested state`).to.be.oneOf([
        addressState.acknowledged,
        addressState.pending ?? addressState.acknowledged,
      ]);
      addressState.acknowledged = stored;
      addressState.pending = undefined;
    }
  }
}

const expectIntactDatabase = (path: string): void => {
  const database = new Database(path, { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).to.equal('ok');
  } finally {
    database.close();
  }
};

export const writesOf = (writers: readonly Writer[]): number =>
  writers.reduce((sum, writer) => sum + writer.acknowledged, 0);

const killWhileWriting = async (serving: Serving, writers: readonly Writer[], chosen: Kill): Promise<void> => {
  const caller = new Caller(serving.url);
  const writing = writers.map((writer) => writer.write(caller));
  const killing = killDuringChanges(serving.run.child, () => writesOf(writers), chosen);
  await Promise.all([killing, ...writing]);
  expect(await serving.run.ended).to.equal('SIGKILL');
  caller.close();
};

const verifyAll = async (serving: Serving, writers: readonly Writer[]): Promise<void> => {
  const caller = new Caller(serving.url);
  await Promise.all(writers.map((writer) => writer.verify(caller)));
  caller.close();
};

/** A round kills the service while clients write, restarts it, and checks every acknowledged write. */
export const crashRecovery: Guarantee = {
  name: 'an acknowledged write survives kill -9, and the next start needs no repair',
  rounds: { short: 5, long: 300 },
  timeoutMs: 60_000,
  run: async (rounds, random) => {
    const installation = await Installation.create();
    try {
      await installation.configure();
      const writers = Array.from({ length: 16 }, (_, index) => new Writer(`writer-${index}`));
      let serving = await installation.serve();
      for (let round = 0; round < rounds; round++) {
        await killWhileWriting(serving, writers, kill(random, 30, 130));
        serving = await installation.serve();
        await verifyAll(serving, writers);
        expectIntactDatabase(join(installation.folder, 'users.db'));
      }
      return `${rounds} kills, ${writesOf(writers)} acknowledged writes, 0 lost, 0 half, 0 repairs`;
    } finally {
      await installation.dispose();
    }
  },
};
