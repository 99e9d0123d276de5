import { expect } from 'chai';
import type { SMTPServerOptions } from 'smtp-server';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { readMail } from '../../sdk/contract/received-mail.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { eventually } from '../support/eventually.ts';
import { certificateFor, type MailServer, startMailServer } from '../support/mail-server.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { killDuringChanges } from './kill.ts';

const password = 'a password of the mails';
const admin = { application: 'root', secret: 'of the administrator of the mails' };

/** The last mail of a killed process is due again when its claim ends: the operation timeout and 5 s. */
const operationTimeout = '5s';
/** A mail that failed in several rounds waits for up to 5 minutes. */
const timeoutMs = 330_000;

/** Mails that a process has in flight at most, whose acceptance a kill can hide from the database. */
const maxInFlight = 16;
/** How long before a kill the mail server accepted such a mail, at most. */
const maxUnrecordedMs = 1_000;
const maxUnreadMs = 250;

interface AcceptedMail {
  readonly token: string;
  readonly messageId: string;
  /** When it was accepted, by `performance.now()`. */
  readonly time: number;
}

/** A mail server that keeps what it accepts, refuses some recipients for good, and others at first. */
class Provider {
  readonly accepted: Promise<AcceptedMail>[] = [];
  private readonly deferred = new Set<string>();
  private server: MailServer | undefined;

  async start(): Promise<void> {
    const certificate = await certificateFor('localhost');
    this.server = await startMailServer(certificate, this.behaviour(), this.server?.port);
    await certificate.remove();
  }

  async stop(): Promise<void> {
    await this.server?.close();
  }

  get port(): number {
    return this.server?.port ?? 0;
  }

  private behaviour(): SMTPServerOptions {
    return {
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onRcptTo: ({ address }, _session, done) => {
        if (address.startsWith('refused-')) return done(Object.assign(new Error('unknown'), { responseCode: 550 }));
        const isFirst = address.startsWith('deferred-') && !this.deferred.has(address);
        this.deferred.add(address);
        return done(isFirst ? Object.assign(new Error('later'), { responseCode: 451 }) : null);
      },
      onData: (stream, _session, done) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          const time = performance.now();
          const raw = Buffer.concat(parts);
          const messageId = /^Message-ID:\s+(\S+)/im.exec(raw.toString())?.[1] ?? '';
          const tokenIn = (text: string): string => /token=([\w-]+)/.exec(text)?.[1] ?? '';
          this.accepted.push(readMail(raw).then(({ text }) => ({ token: tokenIn(text), messageId, time })));
          done();
        });
      },
    };
  }
}

/** A client that creates users and requests mails for them, and records the tokens of acknowledged requests. */
class Requester {
  readonly tokens = new Set<string>();
  readonly refused = new Set<string>();
  private step = 0;

  constructor(private readonly name: string) {}

  get acknowledged(): number {
    return this.tokens.size + this.refused.size;
  }

  /** Requests mails until the service was killed, or `isOver`. */
  async request(caller: Caller, isOver: () => boolean): Promise<void> {
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

/** Kills one of two services while both get requests. Resolves with the time of the kill, by `performance.now()`. */
const killOne = async (killed: Serving, other: Serving, requesters: readonly Requester[]): Promise<number> => {
  const [first, second] = [new Caller(killed.url), new Caller(other.url)];
  let isOver = false;
  const requesting = requesters.map((requester, index) =>
    requester.request(index % 2 === 0 ? first : second, () => isOver),
  );
  const requests = (): number => requesters.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  await killDuringChanges(killed.run.child, requests, 20 + Math.random() * 40);
  const time = performance.now();
  isOver = true;
  await Promise.all(requesting);
  expect(await killed.run.ended).to.equal('SIGKILL');
  first.close();
  second.close();
  return time;
};

const tokensOf = (requesters: readonly Requester[], which: 'tokens' | 'refused'): readonly string[] =>
  requesters.flatMap((requester) => [...requester[which]]);

/** How often each mail that waits was tried, and in how many seconds it is tried again. */
const waitingAt = async ({ adminUrl }: Serving): Promise<readonly string[]> => {
  const Authorization = `Basic ${Buffer.from(`${admin.application}:${admin.secret}`).toString('base64')}`;
  const response = await fetch(`${adminUrl}/admin/mails?limit=200`, { headers: { Authorization } });
  expect(response.status).to.equal(200);
  const mails: readonly { attempts: number; nextAttempt: number }[] = Object(await response.json()).mails;
  return mails.map(
    ({ attempts, nextAttempt }) => `${attempts} times, ${Math.round((nextAttempt - Date.now()) / 1_000)} s`,
  );
};

/**
 * How many mails were accepted twice. Each of them was accepted just before a process was killed, or the mail server was
 * stopped, so that its answer was lost or not recorded. The server may read a mail shortly after the kill of its sender.
 */
const repeatedMails = (accepted: readonly AcceptedMail[], interruptions: readonly number[]): number => {
  const last = new Map<string, number>();
  const repeated = new Map<number, number>();
  for (const { token, time } of accepted) {
    const before = last.get(token);
    last.set(token, time);
    if (before === undefined) continue;
    const cause = interruptions.find((at) => before - at < maxUnreadMs && at - before < maxUnrecordedMs);
    if (cause === undefined) throw new Error('a mail was sent twice without an interruption');
    repeated.set(cause, (repeated.get(cause) ?? 0) + 1);
  }
  for (const count of repeated.values())
    expect(count, 'mails that one interruption repeated').to.be.at.most(maxInFlight);
  return [...repeated.values()].reduce((sum, count) => sum + count, 0);
};

/**
 * A round kills one of two services that share the queue. In every third round the mail provider is down. It refuses
 * every tenth mail for good, and another tenth at the first attempt.
 */
export const queuedMails = (database: Database): Guarantee => ({
  name: `every queued mail on ${database.name} is sent, and sent once unless the answer of the provider is lost, also when services are killed and the provider is down or refuses others`,
  rounds: { short: 3, long: 100 },
  timeoutMs: 180_000,
  run: async (rounds) => {
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
      let [next, other] = [await installation.serve(), await installation.serve()];
      const interruptions: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const isDown = round % 3 === 2;
        if (isDown) {
          interruptions.push(performance.now());
          await provider.stop();
        }
        interruptions.push(await killOne(next, other, requesters));
        if (isDown) await provider.start();
        [next, other] = [other, await installation.serve()];
      }
      await eventually(async () => expect(await waitingAt(other)).to.deep.equal([]), timeoutMs);
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
