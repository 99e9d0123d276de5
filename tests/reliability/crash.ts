import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Promised } from './guarantee.ts';
import { killAmid } from './kill.ts';

const password = 'a password of the crash test';

/** What may be stored under an address: the step that was written last, or nothing. */
type State = number | 'absent';

/** One address of one client: what was acknowledged last, and what was asked for and not answered. */
interface Page {
  acknowledged: State;
  asked: State | undefined;
}

/** One client, that writes to its own addresses and keeps account of every answer. */
class Writer {
  readonly pages = new Map<string, Page>();
  acknowledged = 0;
  private step = 0;

  constructor(private readonly name: string) {}

  /** Writes until the service is gone. */
  async write(caller: Caller): Promise<void> {
    for (;;) {
      this.step += 1;
      const address = `${this.name}-${this.step % 3}@example.com`;
      const page = this.pages.get(address) ?? { acknowledged: 'absent', asked: undefined };
      this.pages.set(address, page);
      if (!(await this.change(caller, address, page))) return;
      this.acknowledged += 1;
    }
  }

  private async change(caller: Caller, address: string, page: Page): Promise<boolean> {
    const removes = page.acknowledged !== 'absent' && this.step % 5 === 0;
    page.asked = removes ? 'absent' : this.step;
    const method = removes ? 'DELETE' : page.acknowledged === 'absent' ? 'POST' : 'PUT';
    const body = { email: { address }, password, step: this.step, again: this.step };
    const path = method === 'POST' ? '/users' : at(address);
    const answer = await caller.call(method, path, removes ? undefined : body, { password });
    if (answer === undefined) return false;
    expect(answer.status, `${method} ${answer.body}`).to.equal(method === 'POST' ? 201 : 200);
    page.acknowledged = page.asked;
    page.asked = undefined;
    return true;
  }

  /** Compares what is stored with what was acknowledged; a change without an answer may have been made or not. */
  async verify(caller: Caller): Promise<void> {
    for (const [address, page] of this.pages) {
      const answer = await caller.call('GET', at(address), undefined, { password });
      expect(answer?.status, address).to.be.oneOf([200, 404]);
      const user = answer?.status === 200 ? JSON.parse(answer.body) : undefined;
      if (user !== undefined) expect(user.again, 'half a change').to.equal(user.step);
      const stored: State = user === undefined ? 'absent' : user.step;
      expect(stored, `${address} holds neither what was acknowledged nor what was asked for`).to.be.oneOf([
        page.acknowledged,
        page.asked ?? page.acknowledged,
      ]);
      page.acknowledged = stored;
      page.asked = undefined;
    }
  }
}

const expectSoundFile = (path: string): void => {
  const database = new Database(path, { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).to.equal('ok');
  } finally {
    database.close();
  }
};

const writesOf = (writers: readonly Writer[]): number => writers.reduce((sum, writer) => sum + writer.acknowledged, 0);

const killWhileWriting = async (serving: Serving, writers: readonly Writer[]): Promise<void> => {
  const caller = new Caller(serving.url);
  const writing = writers.map((writer) => writer.write(caller));
  const killing = killAmid(serving.run.child, () => writesOf(writers), 30 + Math.random() * 100);
  await Promise.all([killing, ...writing]);
  expect(await serving.run.ended).to.equal('SIGKILL');
  caller.close();
};

const verifyAll = async (serving: Serving, writers: readonly Writer[]): Promise<void> => {
  const caller = new Caller(serving.url);
  await Promise.all(writers.map((writer) => writer.verify(caller)));
  caller.close();
};

/** Kills the service again and again while clients write, and looks after every start for what was acknowledged. */
export const survivesCrashes: Promised = {
  name: 'an acknowledged write survives kill -9, and the next start needs no repair',
  rounds: { short: 5, long: 300 },
  patience: 60_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    try {
      await installation.configure();
      const writers = Array.from({ length: 16 }, (_, index) => new Writer(`writer-${index}`));
      let serving = await installation.serve();
      for (let round = 0; round < rounds; round++) {
        await killWhileWriting(serving, writers);
        serving = await installation.serve();
        await verifyAll(serving, writers);
        expectSoundFile(join(installation.folder, 'users.db'));
      }
      return `${rounds} kills, ${writesOf(writers)} acknowledged writes, 0 lost, 0 half, 0 repairs`;
    } finally {
      await installation.dispose();
    }
  },
};
