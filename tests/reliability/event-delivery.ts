import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { type ReceivedEvent, WebhookReceiver } from '../../sdk/contract/http/webhook-receiver.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { eventually } from '../support/eventually.ts';
import { at, Caller } from './caller.ts';
import { sqlite } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import { afterChanges, atStatement, type PlannedKill } from './kill.ts';

const password = 'a password of the events';

/** The statements of SQLite that write a change and its event. */
const statements = ['INSERT INTO users', 'DELETE FROM users WHERE key = ? AND version = ?', 'INSERT INTO events'];

/** The last event after a kill is delivered once the claim of the killed process expires, after 30 s at most. */
const timeoutMs = 40_000;

/** A client that creates and deletes users under its own addresses, and records the responses. */
class Writer {
  /** The addresses of acknowledged changes. */
  readonly created = new Set<string>();
  readonly deleted = new Set<string>();
  acknowledged = 0;
  private pending: { readonly method: 'POST' | 'DELETE'; readonly address: string } | undefined;
  private step = 0;

  constructor(private readonly name: string) {}

  /** Writes until the service was killed. */
  async write(caller: Caller): Promise<void> {
    for (;;) {
      this.step += 1;
      const address = `${this.name}-${this.step}@example.com`;
      if (!(await this.ask(caller, 'POST', address))) return;
      if (this.step % 3 === 0 && !(await this.ask(caller, 'DELETE', address))) return;
    }
  }

  /** Finds out whether the change without a response was made. */
  async settle(caller: Caller): Promise<void> {
    if (this.pending === undefined) return;
    const { method, address } = this.pending;
    this.pending = undefined;
    const response = await caller.call('GET', at(address), undefined, { password });
    expect(response?.status, address).to.be.oneOf([200, 404]);
    if (method === 'POST' && response?.status === 200) this.created.add(address);
    if (method === 'DELETE' && response?.status === 404) this.deleted.add(address);
  }

  private async ask(caller: Caller, method: 'POST' | 'DELETE', address: string): Promise<boolean> {
    this.pending = { method, address };
    const response = await (method === 'POST'
      ? caller.call('POST', '/users', { email: { address }, password })
      : caller.call('DELETE', at(address), undefined, { password }));
    if (response === undefined) return false;
    expect(response.status, response.body).to.equal(method === 'POST' ? 201 : 200);
    (method === 'POST' ? this.created : this.deleted).add(address);
    this.pending = undefined;
    this.acknowledged += 1;
    return true;
  }
}

const killWhileWriting = async (serving: Serving, writers: readonly Writer[], planned: PlannedKill): Promise<void> => {
  const caller = new Caller(serving.url);
  const writing = writers.map((writer) => writer.write(caller));
  const writes = (): number => writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  await Promise.all([planned.killed(serving, writes), ...writing]);
  expect(await serving.run.ended).to.equal('SIGKILL');
  caller.close();
};

/** The addresses in the events of a type that the receiver accepted. */
const deliveredAddresses = (
  accepted: readonly ReceivedEvent[],
  wanted: 'user.created' | 'user.deleted',
): ReadonlySet<string> =>
  new Set(
    accepted
      .map(({ body }) => JSON.parse(body))
      .filter(({ type }) => type === wanted)
      .map(({ data }) => String(data.email.address)),
  );

const allOf = (writers: readonly Writer[], which: 'created' | 'deleted'): ReadonlySet<string> =>
  new Set(writers.flatMap((writer) => [...writer[which]]));

const missing = (wanted: ReadonlySet<string>, there: ReadonlySet<string>): readonly string[] =>
  [...wanted].filter((address) => !there.has(address));

const expectDelivered = async (accepted: readonly ReceivedEvent[], writers: readonly Writer[]): Promise<void> => {
  const [created, deleted] = [allOf(writers, 'created'), allOf(writers, 'deleted')];
  await eventually(async () => {
    expect(
      missing(created, deliveredAddresses(accepted, 'user.created')),
      'created users without an event',
    ).to.deep.equal([]);
    expect(
      missing(deleted, deliveredAddresses(accepted, 'user.deleted')),
      'deleted users without an event',
    ).to.deep.equal([]);
  }, timeoutMs);
  expect(
    missing(deliveredAddresses(accepted, 'user.created'), created),
    'events of users that were not created',
  ).to.deep.equal([]);
  expect(
    missing(deliveredAddresses(accepted, 'user.deleted'), deleted),
    'events of users that were not deleted',
  ).to.deep.equal([]);
};

const settleAll = async (serving: Serving, writers: readonly Writer[]): Promise<void> => {
  const caller = new Caller(serving.url);
  await Promise.all(writers.map((writer) => writer.settle(caller)));
  caller.close();
};

/**
 * A round kills the service between changes and their delivery, on SQLite then also at a statement of a change. The
 * receiver refuses every fiftieth request.
 */
export const eventDelivery = (database: Database): Guarantee => ({
  name: `every change on ${database.name} is delivered as an event at least once, and nothing else is, also when the service is killed in between`,
  rounds: { short: 3, long: 20 },
  timeoutMs: 120_000,
  run: async (rounds, random) => {
    const { yaml, dispose } = await database.open();
    const installation = await Installation.create();
    const receiver = await WebhookReceiver.open();
    const accepted: ReceivedEvent[] = [];
    receiver.behaviour = (event, response) => {
      const takes = receiver.received.length % 50 > 0;
      if (takes) accepted.push(event);
      response.writeHead(takes ? 204 : 400).end();
    };
    try {
      await installation.configure({
        database: yaml,
        events: { webhooks: [{ url: receiver.url, secret: receiver.secret }] },
      });
      const writers = Array.from({ length: 8 }, (_, index) => new Writer(`writer-${index}`));
      const kills = Array.from({ length: rounds }, (_, round) => [
        afterChanges(random.stream('kill', round), 20, 80),
        ...(database === sqlite ? [atStatement(random.stream('statement', round), statements)] : []),
      ]).flat();
      for (const planned of kills) {
        const serving = await planned.serve(installation);
        await settleAll(serving, writers);
        await killWhileWriting(serving, writers, planned);
      }
      await settleAll(await installation.serve(), writers);
      await expectDelivered(accepted, writers);
      const changes = allOf(writers, 'created').size + allOf(writers, 'deleted').size;
      return `${kills.length} kills, ${changes} changes, all delivered, in ${receiver.received.length} requests`;
    } finally {
      await installation.dispose();
      await receiver.close();
      await dispose();
    }
  },
});
