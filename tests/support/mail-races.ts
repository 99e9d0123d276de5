import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { EventRelay } from '../../adapters/delivery/event-relay.ts';
import { administrator as by } from '../../application/administration/administrator.ts';
import { DiscardMailHandler, QueuedMails, RetryMailHandler } from '../../application/administration/change-mail.ts';
import { DomainEvents } from '../../application/outgoing/domain-events.ts';
import { mailDestination } from '../../application/outgoing/mail-queue.ts';
import { type DeliveryResult, DeliveryTarget } from '../../application/ports/delivery-target.ts';
import { type ClaimedEvent, type EventOutbox, leaseMarginMs } from '../../application/ports/event-outbox.ts';
import type { OpenedStore } from '../../sdk/contract/opened-store.ts';
import { silentContext } from './doubles/silent-context.ts';
import { eventually } from './eventually.ts';

const timeoutMs = 2_000;
const clock = { now: Date.now };
const webhook = 'hook';
const hourMs = 3_600_000;
const mails = 24;

/** A mail provider that takes a while for each mail. */
class SlowProvider extends DeliveryTarget {
  readonly destination = mailDestination;
  readonly host = 'provider';
  readonly timeoutMs = timeoutMs;
  readonly stopTimeoutMs = 0;
  readonly maxRetryDelayMs = 300_000;
  readonly messages = { available: '', unavailable: '', rejected: '', expired: '' };

  constructor(private readonly sent: string[]) {
    super();
  }

  laneOf(): undefined {
    return undefined;
  }

  async send({ id }: ClaimedEvent): Promise<DeliveryResult> {
    this.sent.push(id);
    await sleep(Math.random() * 120);
    return { outcome: 'delivered' };
  }

  expiryOf(): number {
    return Number.POSITIVE_INFINITY;
  }

  abort(): void {}
}

/** A process that sends queued mails, and in which an administrator changes them. */
class Process {
  readonly relay: EventRelay;
  private readonly retries: RetryMailHandler;
  private readonly discards: DiscardMailHandler;

  constructor(outbox: EventOutbox, sent: string[]) {
    this.relay = new EventRelay([new SlowProvider(sent)], outbox, clock, silentContext.log);
    const queued = new QueuedMails(outbox, clock, timeoutMs + 2 * leaseMarginMs);
    const events = new DomainEvents([{ destination: webhook, types: ['mail.failed'] }], clock, randomUUID, () => []);
    this.retries = new RetryMailHandler(queued, { stored: () => this.relay.notify() });
    this.discards = new DiscardMailHandler(queued, events, outbox);
  }

  async retry(id: string): Promise<string> {
    const outcome = await this.retries.handle({ type: 'RetryMail', by, id });
    return outcome._tag === 'Left' ? outcome.left.code : 'ok';
  }

  async discard(id: string): Promise<string> {
    const outcome = await this.discards.handle({ type: 'DiscardMail', by, id });
    return outcome._tag === 'Left' ? outcome.left.code : 'ok';
  }
}

/** What administrators do with mails while two processes send them, on an outbox of a store. */
export const mailRaces = (name: string, open: () => Promise<OpenedStore>): void => {
  describe(`mails that administrators change while they are sent: ${name}`, function () {
    this.timeout(60_000);
    let opened: OpenedStore;
    let outbox: EventOutbox;
    let sent: string[];
    let processes: readonly [Process, Process];

    beforeEach(async () => {
      opened = await open();
      const other = (await opened.reopen?.())?.events;
      const { events } = opened.store;
      if (events === undefined) throw new Error('the store cannot store events');
      outbox = events;
      sent = [];
      processes = [new Process(events, sent), new Process(other ?? events, sent)];
    });
    afterEach(async () => {
      await Promise.all(processes.map(({ relay }) => relay.stop(0)));
      await opened.dispose();
    });

    const start = (): void => {
      for (const { relay } of processes) relay.start();
    };

    /** Stores mails, whose ids are their recipients. With `postponed` an attempt has failed. */
    const stored = async (postponed: boolean): Promise<readonly string[]> => {
      const now = clock.now();
      const ids = Array.from({ length: mails }, (_, n) => `${now}-${n}-${randomUUID().slice(0, 8)}`);
      const events = ids.map((id) => {
        const body = { kind: 'verification', to: `${id}@example.com`, locale: 'en', secret: 'a link', expires: null };
        return { id, destination: mailDestination, time: now, body: JSON.stringify(body) };
      });
      for (let from = 0; from < events.length; from += 8) await outbox.add(events.slice(from, from + 8));
      if (!postponed) return ids;
      for (let claimed = 0; claimed < ids.length; ) {
        const some = await outbox.claim(mailDestination, ids.length, { now, until: now + 1_000 });
        await Promise.all(some.map((event) => outbox.postpone(event, now + hourMs)));
        claimed += some.length;
      }
      return ids;
    };

    const whenNoneWaits = () =>
      eventually(async () => expect(await outbox.pending(mailDestination, 1_000)).to.equal(0), 30_000);

    /** The ids of the mails of which webhooks were told that they failed. */
    const failed = async (): Promise<readonly string[]> => {
      const { events } = await outbox.list(webhook, 1_000);
      return events.map(({ body }) => String(JSON.parse(body).data.email.address).replace('@example.com', ''));
    };

    const within = async <Result>(delayMs: number, work: () => Promise<Result>): Promise<Result> => {
      await sleep(Math.random() * delayMs);
      return work();
    };

    it('are sent once however often they are sent again, also while they are sent', async () => {
      const ids = await stored(true);
      start();
      const retries = ids.flatMap((id) =>
        [...processes, ...processes].map((process) => within(400, () => process.retry(id))),
      );
      const outcomes = new Set(await Promise.all(retries));
      expect([...outcomes].filter((outcome) => outcome !== 'ok' && outcome !== 'mail_not_found')).to.deep.equal([]);
      await whenNoneWaits();
      expect(sent.toSorted()).to.deep.equal(ids.toSorted());
    });

    for (const [what, postponed] of [
      ['that wait for their next attempt', true],
      ['that are due', false],
    ] as const)
      it(`are either sent or discarded and reported as failed, never both and never neither: those ${what}`, async () => {
        const ids = await stored(postponed);
        start();
        const discards = ids.map(async (id, n) => {
          const one = processes[n % 2 === 0 ? 0 : 1];
          const another = processes[n % 2 === 0 ? 1 : 0];
          const retried = within(200, () => another.retry(id));
          const discarded = await within(200, () => one.discard(id));
          await retried;
          return discarded;
        });
        const outcomes = await Promise.all(discards);
        for (const id of ids) await processes[0].retry(id);
        await whenNoneWaits();
        const discarded = ids.filter((_, n) => outcomes[n] === 'ok');
        expect((await failed()).toSorted(), 'told').to.deep.equal(discarded.toSorted());
        const others = ids.filter((id) => !discarded.includes(id));
        expect(sent.toSorted(), 'sent').to.deep.equal(others.toSorted());
      });

    it('are reported as failed once if two administrators discard them', async () => {
      const ids = await stored(true);
      const outcomes = await Promise.all(
        ids.map((id) => Promise.all(processes.map((process) => within(20, () => process.discard(id))))),
      );
      const discarded = ids.filter((_, n) => outcomes[n]?.includes('ok'));
      expect((await failed()).toSorted()).to.deep.equal(discarded.toSorted());
      expect(discarded).to.not.deep.equal([]);
      for (const both of outcomes) expect(both.filter((outcome) => outcome === 'ok').length).to.be.at.most(1);
    });
  });
};
