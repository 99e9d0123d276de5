import { expect } from 'chai';
import type { SMTPServerOptions } from 'smtp-server';
import { readMail } from '../../sdk/contract/received-mail.ts';
import type { Installation, Serving } from '../process/installation.ts';
import { eventually } from '../support/eventually.ts';
import { certificateFor, type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Kill, kill, killDuringChanges } from './kill.ts';
import type { RandomStream } from './random.ts';

/** Mails that a process has in flight at most, whose acceptance a kill can hide from the database. */
const maxInFlight = 16;
/** How long before a kill the mail server accepted such a mail, at most. */
const maxUnrecordedMs = 1_000;
const maxUnreadMs = 250;

export interface AcceptedMail {
  readonly to: string;
  /** The token of its link; empty without one. */
  readonly token: string;
  /** Stays the same when the mail is sent again. */
  readonly messageId: string;
  /** When it was accepted, by `performance.now()`. */
  readonly time: number;
}

/** A mail server that keeps what it accepts, refuses some recipients for good, and others at first. */
export class Provider {
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
          this.accepted.push(readMail(raw).then(({ to, text }) => ({ to, token: tokenIn(text), messageId, time })));
          done();
        });
      },
    };
  }
}

/** A client whose requests lead to mails. */
export interface RequestingClient {
  /** The number of acknowledged requests. */
  readonly acknowledged: number;
  /** Sends requests to a service until it was killed, or `isOver`. */
  request(serving: Serving, isOver: () => boolean): Promise<void>;
}

/** Kills one of two services while both get requests. Resolves with the time of the kill, by `performance.now()`. */
const killOne = async (
  killed: Serving,
  other: Serving,
  clients: readonly RequestingClient[],
  chosen: Kill,
): Promise<number> => {
  let isOver = false;
  const requesting = clients.map((client, index) => client.request(index % 2 === 0 ? killed : other, () => isOver));
  const requests = (): number => clients.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  await killDuringChanges(killed.run.child, requests, chosen);
  const time = performance.now();
  isOver = true;
  await Promise.all(requesting);
  expect(await killed.run.ended).to.equal('SIGKILL');
  return time;
};

/**
 * Kills each of two services in turn while the clients make requests, every third time while the provider is down, and waits
 * until no mail waits. Resolves with the service that is left, and the times of kills and outages by `performance.now()`.
 */
export const killInTurn = async (
  rounds: number,
  random: RandomStream,
  installation: Installation,
  provider: Provider,
  clients: readonly RequestingClient[],
  admin: AdminKey,
  timeoutMs: number,
): Promise<{ readonly serving: Serving; readonly interruptions: readonly number[] }> => {
  let [next, other] = [await installation.serve(), await installation.serve()];
  const interruptions: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const isDown = round % 3 === 2;
    if (isDown) {
      interruptions.push(performance.now());
      await provider.stop();
    }
    interruptions.push(await killOne(next, other, clients, kill(random, 20, 60)));
    if (isDown) await provider.start();
    [next, other] = [other, await installation.serve()];
  }
  await eventually(async () => expect(await waitingAt(other, admin)).to.deep.equal([]), timeoutMs);
  return { serving: other, interruptions };
};

interface AdminKey {
  readonly application: string;
  readonly secret: string;
}

/** How often each mail that waits was tried, and in how many seconds it is tried again; the line about sign-ups that wait. */
const waitingAt = async ({ adminUrl }: Serving, admin: AdminKey): Promise<readonly string[]> => {
  const Authorization = `Basic ${Buffer.from(`${admin.application}:${admin.secret}`).toString('base64')}`;
  // Before the mails, to which they lead.
  const health = Object(await (await fetch(`${adminUrl}/healthcheck`)).json());
  const signUps: string = health['sign-up']?.message ?? ', 0 waiting';
  const response = await fetch(`${adminUrl}/admin/mails?limit=200`, { headers: { Authorization } });
  expect(response.status).to.equal(200);
  const mails: readonly { attempts: number; nextAttempt: number }[] = Object(await response.json()).mails;
  const waiting = mails.map(
    ({ attempts, nextAttempt }) => `${attempts} times, ${Math.round((nextAttempt - Date.now()) / 1_000)} s`,
  );
  return signUps.includes(', 0 waiting') ? waiting : [signUps, ...waiting];
};

/**
 * How many mails were accepted twice. Each of them was accepted just before a process was killed, or the mail server was
 * stopped, so that its answer was lost or not recorded. The server may read a mail shortly after the kill of its sender.
 */
export const repeatedMails = (accepted: readonly AcceptedMail[], interruptions: readonly number[]): number => {
  const last = new Map<string, number>();
  const repeated = new Map<number, number>();
  for (const { messageId, time } of accepted) {
    const before = last.get(messageId);
    last.set(messageId, time);
    if (before === undefined) continue;
    const cause = interruptions.find((at) => before - at < maxUnreadMs && at - before < maxUnrecordedMs);
    if (cause === undefined) {
      const others = interruptions.map((at) => Math.round(at - before)).filter((ms) => Math.abs(ms) < 30_000);
      const again = Math.round(time - before);
      throw new Error(`a mail was sent again after ${again} ms, with interruptions ${others} ms after it was accepted`);
    }
    repeated.set(cause, (repeated.get(cause) ?? 0) + 1);
  }
  for (const count of repeated.values())
    expect(count, 'mails that one interruption repeated').to.be.at.most(maxInFlight);
  return [...repeated.values()].reduce((sum, count) => sum + count, 0);
};
