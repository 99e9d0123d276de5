import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { type ReceivedEvent, WebhookReceiver } from '../../sdk/contract/http/webhook-receiver.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { eventually } from '../support/recovery.ts';
import { at, Caller } from './caller.ts';
import type { Promised } from './guarantee.ts';
import { killAmid } from './kill.ts';

const password = 'a password of the events';

/** How long the last event may take after a kill, in milliseconds: as long as a dead process kept it, and some looks. */
const patience = 40_000;

/** Users that one client makes and removes, each under an address of its own, and what it knows of them. */
class Writer {
  /** What is sure to have happened: the address is that of a user, or was. */
  readonly created = new Set<string>();
  readonly deleted = new Set<string>();
  acknowledged = 0;
  private asked: { readonly method: 'POST' | 'DELETE'; readonly address: string } | undefined;
  private step = 0;

  constructor(private readonly name: string) {}

  /** Writes until the service is gone. */
  async write(caller: Caller): Promise<void> {
    for (;;) {
      this.step += 1;
      const address = `${this.name}-${this.step}@example.com`;
      if (!(await this.ask(caller, 'POST', address))) return;
      if (this.step % 3 === 0 && !(await this.ask(caller, 'DELETE', address))) return;
    }
  }

  /** Finds out what became of the change that had no answer. */
  async settle(caller: Caller): Promise<void> {
    if (this.asked === undefined) return;
    const { method, address } = this.asked;
    this.asked = undefined;
    const answer = await caller.call('GET', at(address), undefined, { password });
    expect(answer?.status, address).to.be.oneOf([200, 404]);
    if (method === 'POST' && answer?.status === 200) this.created.add(address);
    if (method === 'DELETE' && answer?.status === 404) this.deleted.add(address);
  }

  private async ask(caller: Caller, method: 'POST' | 'DELETE', address: string): Promise<boolean> {
    this.asked = { method, address };
    const answer = await (method === 'POST'
      ? caller.call('POST', '/users', { email: { address }, password })
      : caller.call('DELETE', at(address), undefined, { password }));
    if (answer === undefined) return false;
    expect(answer.status, answer.body).to.equal(method === 'POST' ? 201 : 200);
    (method === 'POST' ? this.created : this.deleted).add(address);
    this.asked = undefined;
    this.acknowledged += 1;
    return true;
  }
}

const killWhileWriting = async (serving: Serving, writers: readonly Writer[]): Promise<void> => {
  const caller = new Caller(serving.url);
  const writing = writers.map((writer) => writer.write(caller));
  const writes = (): number => writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  await Promise.all([killAmid(serving.run.child, writes, 20 + Math.random() * 60), ...writing]);
  expect(await serving.run.ended).to.equal('SIGKILL');
  caller.close();
};

/** The addresses of which a receiver took an event of a type. */
const toldOf = (taken: readonly ReceivedEvent[], wanted: 'user.created' | 'user.deleted'): ReadonlySet<string> =>
  new Set(
    taken
      .map(({ body }) => JSON.parse(body))
      .filter(({ type }) => type === wanted)
      .map(({ data }) => String(data.email.address)),
  );

const allOf = (writers: readonly Writer[], which: 'created' | 'deleted'): ReadonlySet<string> =>
  new Set(writers.flatMap((writer) => [...writer[which]]));

const missing = (wanted: ReadonlySet<string>, there: ReadonlySet<string>): readonly string[] =>
  [...wanted].filter((address) => !there.has(address));

const expectTold = async (taken: readonly ReceivedEvent[], writers: readonly Writer[]): Promise<void> => {
  const [created, deleted] = [allOf(writers, 'created'), allOf(writers, 'deleted')];
  await eventually(async () => {
    expect(missing(created, toldOf(taken, 'user.created')), 'users that were created').to.deep.equal([]);
    expect(missing(deleted, toldOf(taken, 'user.deleted')), 'users that were deleted').to.deep.equal([]);
  }, patience);
  expect(missing(toldOf(taken, 'user.created'), created), 'users that never were').to.deep.equal([]);
  expect(missing(toldOf(taken, 'user.deleted'), deleted), 'removals that were not made').to.deep.equal([]);
};

/** Kills the service between changes and their delivery, again and again, while the receiver fails now and then. */
export const tellsOfEveryChange = (database: Database): Promised => ({
  name: `every change is told of at least once on ${database.name}, and nothing else is, also when the service is killed in between`,
  rounds: { short: 3, long: 20 },
  patience: 120_000,
  run: async (rounds) => {
    const { yaml, dispose } = await database.open();
    const installation = await Installation.create();
    const receiver = await WebhookReceiver.open();
    const taken: ReceivedEvent[] = [];
    receiver.behaviour = (event, response) => {
      const takes = receiver.received.length % 50 > 0;
      if (takes) taken.push(event);
      response.writeHead(takes ? 204 : 400).end();
    };
    try {
      await installation.configure({
        database: yaml,
        events: { webhooks: [{ url: receiver.url, secret: receiver.secret }] },
      });
      const writers = Array.from({ length: 8 }, (_, index) => new Writer(`writer-${index}`));
      let serving = await installation.serve();
      for (let round = 0; round < rounds; round++) {
        await killWhileWriting(serving, writers);
        serving = await installation.serve();
        const caller = new Caller(serving.url);
        await Promise.all(writers.map((writer) => writer.settle(caller)));
        caller.close();
      }
      await expectTold(taken, writers);
      const changes = allOf(writers, 'created').size + allOf(writers, 'deleted').size;
      return `${rounds} kills, ${changes} changes, all told of, in ${receiver.received.length} requests`;
    } finally {
      await installation.dispose();
      await receiver.close();
      await dispose();
    }
  },
});
