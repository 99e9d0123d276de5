import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { readMail } from '../../sdk/contract/received-mail.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import { freshAddress } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import { killDuringChanges } from './kill.ts';

const password = 'a password of the confirmed renames';
const publicUrl = 'https://users.example.com';
const pollMs = 20;
const arrivalTimeoutMs = 20_000;

/** The mails that the service wrote, each read once. */
class Mailbox {
  private readonly links = new Map<string, string>();

  constructor(private readonly folder: string) {}

  /** The path of a link in a mail to an address, and forgets the link; undefined if none arrived. */
  async take(address: string): Promise<string | undefined> {
    await this.read();
    const link = this.links.get(address);
    this.links.delete(address);
    return link;
  }

  private async read(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names.filter((given) => given.endsWith('.eml')).sort()) {
      const path = join(this.folder, name);
      const content = await readFile(path).catch(() => undefined);
      // Another reader was faster.
      if (content === undefined) continue;
      const { to, text } = await readMail(content);
      const [link] = /https:\S+\/change\?\S+/.exec(text) ?? [];
      if (link !== undefined) this.links.set(to, link.slice(publicUrl.length));
      await rm(path, { force: true });
    }
  }
}

/** A user that alternates between two addresses, each of which confirms. */
class ConfirmingMover {
  private addresses: readonly [current: string, next: string] = [freshAddress(), freshAddress()];
  private isConfirming = false;
  moves = 0;

  constructor(private readonly mailbox: Mailbox) {}

  async create(caller: Caller): Promise<void> {
    const body = { email: { address: this.addresses[0] }, password };
    expect((await caller.call('POST', '/users', body))?.status).to.equal(201);
  }

  /** Requests and confirms new addresses until the service was killed. */
  async move(caller: Caller, isKilled: () => boolean): Promise<void> {
    for (;;) {
      const [current, next] = this.addresses;
      const body = { email: { address: next } };
      const requested = await caller.call('PUT', at(current), body, { password });
      if (requested === undefined) return;
      expect(requested.status, requested.body).to.equal(200);
      expect(JSON.parse(requested.body).email).to.include({ address: current, pending: next });
      const link = await this.link(next, isKilled);
      if (link === undefined) return;
      this.isConfirming = true;
      const confirmed = await caller.call('POST', link.replace('/change?', '/change/confirm?'));
      if (confirmed === undefined) return;
      // The mail of a change that a kill interrupted may arrive late; its token is replaced.
      expect(confirmed.status, confirmed.body).to.be.oneOf([204, 400]);
      this.isConfirming = false;
      if (confirmed.status !== 204) continue;
      this.addresses = [next, current];
      this.moves += 1;
    }
  }

  /** Checks that the user has exactly one address: the present one, or the one that was being confirmed. */
  async verify(caller: Caller): Promise<void> {
    const [current, next] = this.addresses;
    const found: string[] = [];
    for (const address of this.addresses) {
      const response = await caller.call('GET', at(address), undefined, { password });
      expect(response?.status, address).to.be.oneOf([200, 404]);
      if (response?.status === 200) found.push(JSON.parse(response.body).email.address);
    }
    expect(found, 'one user under one address').to.have.length(1);
    expect(found[0]).to.be.oneOf(this.isConfirming ? [current, next] : [current]);
    if (found[0] === next) this.addresses = [next, current];
    this.isConfirming = false;
  }

  private async link(address: string, isKilled: () => boolean): Promise<string | undefined> {
    const deadline = performance.now() + arrivalTimeoutMs;
    for (;;) {
      const link = await this.mailbox.take(address);
      if (link !== undefined || isKilled()) return link;
      if (performance.now() > deadline) throw new Error('a mail about a new address did not arrive');
      await sleep(pollMs);
    }
  }
}

const movesOf = (movers: readonly ConfirmingMover[]): number => movers.reduce((sum, mover) => sum + mover.moves, 0);

const killWhileMoving = async (serving: Serving, movers: readonly ConfirmingMover[]): Promise<void> => {
  const caller = new Caller(serving.url);
  let isKilled = false;
  const moving = movers.map((mover) => mover.move(caller, () => isKilled));
  const more = 1 + Math.random() * 2 * movers.length;
  const killing = killDuringChanges(serving.run.child, () => movesOf(movers), more).then(() => {
    isKilled = true;
  });
  await Promise.all([killing, ...moving]);
  caller.close();
  await serving.run.ended;
};

/** A round kills the service while new addresses are requested and confirmed. */
export const confirmedChange = (database: Database): Guarantee => ({
  name: `a confirmed change of address on ${database.name} leaves exactly one address, also when the service is killed during it`,
  rounds: { short: 3, long: 100 },
  timeoutMs: 60_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    const { yaml, dispose } = await database.open();
    try {
      const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl };
      const email = { type: 'outbox', directory: 'outbox', confirmChange: true };
      await installation.configure({ database: yaml, server, email });
      const mailbox = new Mailbox(join(installation.folder, 'outbox'));
      const movers = Array.from({ length: 8 }, () => new ConfirmingMover(mailbox));
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
      return `${rounds} kills, ${movesOf(movers)} confirmations answered, exactly one address each time`;
    } finally {
      await installation.dispose();
      await dispose();
    }
  },
});
