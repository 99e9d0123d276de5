import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { killInTurn, Provider, type RequestingClient, repeatedMails } from './killed-mails.ts';

const password = 'a password of the mails';
const admin = { application: 'root', secret: 'of the administrator of the mails' };

/** The last mail of a killed process is due again when its claim ends: the operation timeout and 5 s. */
const operationTimeout = '5s';
/** A mail that failed in several rounds waits for up to 5 minutes. */
const timeoutMs = 330_000;

/** A client that creates users and requests mails for them, and records the tokens of acknowledged requests. */
class Requester implements RequestingClient {
  readonly tokens = new Set<string>();
  readonly refused = new Set<string>();
  private step = 0;

  constructor(private readonly name: string) {}

  get acknowledged(): number {
    return this.tokens.size + this.refused.size;
  }

  /** Requests mails until the service was killed, or `isOver`. */
  async request({ url }: Serving, isOver: () => boolean): Promise<void> {
    const caller = new Caller(url);
    await this.requestWith(caller, isOver);
    caller.close();
  }

  private async requestWith(caller: Caller, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.step += 1;
      const kind = this.step % 10 === 0 ? 'refused' : this.step % 10 === 5 ? 'deferred' : 'usual';
      const address = `${kind}-${this.name}-${this.step}@example.com`;
      const created = await caller.call('POST', '/users', { email: { address }, password });
      if (created === undefined) return;
      const sent = await caller.call('POST', at(address).replace('/users', '/verify'), undefined, { password });
      if (sent === undefined) return;
      expect(sent.status, sent.body).to.equal(200);
      (kind === 'refused' ? this.refused : this.tokens).add(JSON.parse(sent.body).email.verificationToken);
    }
  }
}

const tokensOf = (requesters: readonly Requester[], which: 'tokens' | 'refused'): readonly string[] =>
  requesters.flatMap((requester) => [...requester[which]]);

/**
 * A round kills one of two services that share the queue. In every third round the mail provider is down. It refuses
 * every tenth mail for good, and another tenth at the first attempt.
 */
export const queuedMails = (database: Database): Guarantee => ({
  name: `every queued mail on ${database.name} is sent, and sent once unless the answer of the provider is lost, also when services are killed and the provider is down or refuses others`,
  rounds: { short: 3, long: 100 },
  timeoutMs: 180_000,
  run: async (rounds, random) => {
    const { yaml, dispose } = await database.open();
    const installation = await Installation.create();
    const provider = new Provider();
    await provider.start();
    try {
      await installation.configure({
        database: yaml,
        operationTimeout,
        email: { type: 'smtp', host: '127.0.0.1', port: provider.port, fromAddress: 'a@example.com', queue: true },
        admin: { keys: [admin] },
      });
      const requesters = Array.from({ length: 8 }, (_, index) => new Requester(String(index)));
      const { interruptions } = await killInTurn(rounds, random, installation, provider, requesters, admin, timeoutMs);
      const accepted = await Promise.all(provider.accepted);
      const arrived = new Set(accepted.map(({ token }) => token));
      const requested = tokensOf(requesters, 'tokens');
      expect(
        requested.filter((token) => !arrived.has(token)),
        'lost mails',
      ).to.deep.equal([]);
      expect(
        tokensOf(requesters, 'refused').filter((token) => arrived.has(token)),
        'mails that were refused',
      ).to.deep.equal([]);
      const messageIds = new Set(accepted.map(({ messageId }) => messageId));
      expect(messageIds.size, 'mails with another Message-ID when they are sent again').to.equal(arrived.size);
      const repeated = repeatedMails(accepted, interruptions);
      return `${rounds} kills, ${requested.length} mails, none lost, ${repeated} sent twice`;
    } finally {
      await installation.dispose();
      await provider.stop();
      await dispose();
    }
  },
});
