import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { readMail } from '../../sdk/contract/received-mail.ts';
import { killDuringMoves, type Mover, onlyUserUnder, password } from './address-moves.ts';
import { at, type Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

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

/** A user whose new address is requested and confirmed. */
class ConfirmingMover implements Mover {
  private addresses: readonly [current: string, next: string];
  private isConfirming = false;
  moves = 0;

  constructor(
    private readonly mailbox: Mailbox,
    random: RandomStream,
  ) {
    this.addresses = [random.address(), random.address()];
  }

  async create(caller: Caller): Promise<void> {
    const body = { email: { address: this.addresses[0] }, password };
    expect((await caller.call('POST', '/users', body))?.status).to.equal(201);
  }

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

  async verify(caller: Caller): Promise<void> {
    const [current, next] = this.addresses;
    const { email } = await onlyUserUnder(caller, this.addresses);
    expect(email.address).to.be.oneOf(this.isConfirming ? [current, next] : [current]);
    if (email.address === next) this.addresses = [next, current];
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

/** A round kills the service while new addresses are requested and confirmed. */
export const confirmedMove = (database: Database): Guarantee => ({
  name: `a confirmed change of address on ${database.name} leaves exactly one address, also when the service is killed during it`,
  rounds: { short: 3, long: 100 },
  timeoutMs: 60_000,
  run: async (rounds, random) => {
    const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl };
    const email = { type: 'outbox', directory: 'outbox', confirmChange: true };
    const moves = await killDuringMoves(database, rounds, random, { server, email }, ({ folder }) => {
      const mailbox = new Mailbox(join(folder, 'outbox'));
      return Array.from({ length: 8 }, (_, mover) => new ConfirmingMover(mailbox, random.stream('mover', mover)));
    });
    return `${rounds} kills, ${moves} confirmations answered, exactly one address each time`;
  },
});
