import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { EventRelay } from '../../adapters/delivery/event-relay.ts';
import { administrator as by } from '../../application/administration/administrator.ts';
import { DiscardMailHandler, QueuedMails, RetryMailHandler } from '../../application/administration/queued-mails.ts';
import { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import { DomainEvents } from '../../application/outgoing/domain-events.ts';
import { leaseEnd, postponedTo } from '../../application/outgoing/mail-delivery.ts';
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
  isFailing = false;
  readonly messages = { available: '', unavailable: '', rejected: '', expired: '' };

  override readonly postponedTo = postponedTo;
  override readonly leaseEnd = leaseEnd;

  constructor(private readonly sent: string[]) {
    super();
  }

  laneOf(): undefined {
    return undefined;
  }

  async send({ id }: ClaimedEvent): Promise<DeliveryResult> {
    this.sent.push(id);
    await sleep(Math.random() * 120);
    if (this.isFailing) return { outcome: 'rejected', reason: 'responded with 451', retryAfterMs: 0 };
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
  readonly provider: SlowProvider;
  private readonly retries: RetryMailHandler;
  private readonly discards: DiscardMailHandler;

  constructor(stored: EventOutbox, sent: string[]) {
    const signal = new DeliverySignal(clock);
    const outbox = signal.outbox(stored);
    this.provider = new SlowProvider(sent);
    this.relay = new EventRelay([this.provider], outbox, clock, silentContext.log);
    const queued = new QueuedMails(outbox, clock, timeoutMs + 2 * leaseMarginMs);
    const events = new DomainEvents([{ destination: webhook, types: ['mail.failed'] }], clock, randomUUID, () => []);
    signal.subscribe(this.relay.queues);
    this.retries = new RetryMailHandler(queued);
    this.discards = new DiscardMailHandler(queued, events);
  }

  async answer(type: 'RetryMail' | 'DiscardMail', id: string): Promise<object> {
    const outcome = await (type === 'RetryMail'
      ? this.retries.handle({ type, by, id })
      : this.discards.handle({ type, by, id }));
    return outcome._tag === 'Left' ? outcome.left : { code: 'ok' };
  }

  async retry(id: string): Promise<string> {
    return Object(await this.answer('RetryMail', id)).code;
  }

  async discard(id: string): Promise<string> {
    return Object(await this.answer('DiscardMail', id)).code;
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

    it('are refused while a process may be sending them, and say when its attempt is over', async () => {
      const [id = ''] = await stored(false);
      const now = clock.now();
      // A lease that would end at a whole second would look like a delay.
      const until = Math.ceil(now / 1_000) * 1_000 + timeoutMs + 1;
      await outbox.claim(mailDestination, mails, { now, until });
      for (const answer of [await processes[0].answer('RetryMail', id), await processes[1].answer('DiscardMail', id)]) {
        expect(answer).to.include({ code: 'mail_in_delivery' });
        expect(answer).to.have.nested.property('mail.to', `${id}@example.com`);
        expect(Object(answer).retryAfterSeconds).to.be.within(1, Math.ceil((until - now) / 1_000));
      }
      const { events } = await outbox.list(mailDestination, 1_000);
      expect(new Set(events.map(({ due }) => due))).to.deep.equal(new Set([until]));
    });

    it('are changed as soon as an attempt has failed', async () => {
      await stored(false);
      const [failing, other] = processes;
      failing.provider.isFailing = true;
      failing.relay.start();
      const [one, another] = await eventually(async () => {
        const { events } = await outbox.list(mailDestination, 1_000);
        const tried = events.filter(({ attempts, due }) => attempts > 0 && due > clock.now());
        expect(tried.length).to.be.above(1);
        return tried.map(({ id }) => id);
      }, 10_000);
      // The next attempt would be five seconds later.
      await eventually(async () => expect(await other.retry(one ?? '')).to.equal('ok'), 2_000);
      await eventually(async () => expect(await other.discard(another ?? '')).to.equal('ok'), 2_000);
      expect(await failed()).to.deep.equal([another]);
    });

    it('are sent once however often they are sent again, also while they are sent', async () => {
      const ids = await stored(true);
      start();
      const retries = ids.flatMap((id) =>
        [...processes, ...processes].map((process) => within(400, () => process.retry(id))),
      );
      const outcomes = new Set(await Promise.all(retries));
      expect(
        [...outcomes].filter((outcome) => !['ok', 'mail_not_found', 'mail_in_delivery'].includes(outcome)),
      ).to.deep.equal([]);
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
      const outcomes: (readonly string[])[] = [];
      // One mail after the other, because all of them at once need more connections than a slow database has free in time.
      for (const id of ids)
        outcomes.push(await Promise.all(processes.map((process) => within(5, () => process.discard(id)))));
      const discarded = ids.filter((_, n) => outcomes[n]?.includes('ok'));
      expect((await failed()).toSorted()).to.deep.equal(discarded.toSorted());
      expect(discarded).to.not.deep.equal([]);
      for (const both of outcomes) expect(both.filter((outcome) => outcome === 'ok').length).to.be.at.most(1);
    });
  });
};
