import { expect } from 'chai';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { inMemoryAttempts } from '../../../../adapters/stores/rate-limited-attempts.ts';
import { Fault, type MailRefusal } from '../../../../application/fault.ts';
import { DomainEvents } from '../../../../application/outgoing/domain-events.ts';
import { MailDelivery } from '../../../../application/outgoing/mail-delivery.ts';
import { MailQueue, type MailRequest } from '../../../../application/outgoing/mail-queue.ts';
import { NoticeLimit, noticeLimits } from '../../../../application/outgoing/notice-limit.ts';
import type { AttemptCounter } from '../../../../application/ports/attempt-counter.ts';
import type { ClaimedEvent } from '../../../../application/ports/event-outbox.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { type Mail, Mailer } from '../../../../application/ports/mailer.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

const now = 1_800_000_000_000;
const to = addressOf('jane@example.com');
const link = 'https://accounts.example.com/verify?token=secret';
const verification: MailRequest = { kind: 'verification', to, locale: 'en', secret: link, expires: now + 1_000 };

/** Sends mails as `behaviour` says, which accepts all of them by default. */
class ScriptedMailer extends Mailer {
  readonly mails: Mail[] = [];
  behaviour: () => Promise<void> = async () => undefined;

  async send(mail: Mail): Promise<void> {
    await this.behaviour();
    this.mails.push(mail);
  }

  async check(): Promise<string> {
    return 'scripted';
  }

  async close(): Promise<void> {}
}

describe('the delivery of queued mails', () => {
  let clock: ManualClock;
  let mailer: ScriptedMailer;
  let outbox: MemoryEventOutbox;
  let lines: string[];
  let ids: number;
  let attempts: AttemptCounter;

  const record = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: record, warn: record, error: record };

  const failingWith = (refusal?: MailRefusal) => async (): Promise<void> => {
    throw new Fault('mail_failed', 'mail server: no', { refusal });
  };

  const opened = (timeoutMs = 10_000): MailDelivery =>
    new MailDelivery({
      mailer,
      mailerType: 'smtp',
      texts: { compose: ({ to: recipient, secret }) => ({ to: recipient, subject: 's', text: secret, html: secret }) },
      outbox,
      events: new DomainEvents(
        [{ destination: 'webhook', types: ['mail.failed'] }],
        clock,
        () => String(++ids),
        () => [],
      ),
      timeoutMs,
      log,
      noticeLimit: new NoticeLimit(async () => attempts, log),
    });

  const claimed = (request: MailRequest = verification, body?: string): ClaimedEvent => {
    const prepared = new MailQueue(clock, () => String(++ids)).prepare(request);
    return { ...prepared, body: body ?? prepared.body, attempts: 1, receipt: '' };
  };

  const eventsOf = async (destination: string): Promise<readonly ClaimedEvent[]> =>
    outbox.claim(destination, 10, { now, until: now + 1 });

  beforeEach(() => {
    clock = new ManualClock(now);
    mailer = new ScriptedMailer();
    outbox = new MemoryEventOutbox();
    lines = [];
    ids = 0;
    attempts = inMemoryAttempts(noticeLimits);
  });

  it('postpones to whole seconds, at which no claim ends', () => {
    const { postponedTo, leaseEnd } = opened();
    expect([now, now + 1, now + 999.5].map(postponedTo)).to.deep.equal([now, now + 1_000, now + 1_000]);
    expect([now, now + 1, now + 999].map(leaseEnd)).to.deep.equal([now + 1, now + 1, now + 999]);
  });

  it('sends a mail, identified by its record', async () => {
    const event = claimed();
    expect(await opened().send(event, now)).to.deep.equal({ outcome: 'delivered' });
    expect(mailer.mails).to.deep.equal([{ to, subject: 's', text: link, html: link, id: event.id }]);
  });

  it('sends nothing from the moment at which the link expires', async () => {
    const delivery = opened();
    expect(await delivery.send(claimed(), now + 999)).to.deep.equal({ outcome: 'delivered' });
    expect(await delivery.send(claimed(), now + 1_000)).to.deep.equal({ outcome: 'expired' });
    expect(await delivery.send(claimed({ ...verification, expires: null }), now + 1e12)).to.deep.equal({
      outcome: 'delivered',
    });
    expect(mailer.mails).to.have.lengthOf(2);
    expect(delivery.expiryOf(claimed())).to.equal(now + 1_000);
    expect(delivery.expiryOf(claimed({ ...verification, expires: null }))).to.equal(Number.POSITIVE_INFINITY);
  });

  it('ends a mail that is refused for good with an event that has no link', async () => {
    mailer.behaviour = failingWith('permanent');
    expect(await opened().send(claimed(), now)).to.deep.equal({ outcome: 'refused', reason: 'mail server: no' });
    const [event, ...others] = await eventsOf('webhook');
    expect(others).to.deep.equal([]);
    expect(JSON.parse(event?.body ?? '')).to.deep.equal({
      type: 'mail.failed',
      timestamp: new Date(now).toISOString(),
      data: { kind: 'verification', email: { address: to } },
    });
    expect(lines).to.deep.equal([
      'the mail provider refused a mail for good {"kind":"verification","reason":"mail server: no"}',
    ]);
  });

  it('keeps a refused mail until its event is stored', async () => {
    mailer.behaviour = failingWith('permanent');
    outbox.add = async () => {
      throw new Fault('store_unavailable', 'down');
    };
    expect((await opened().send(claimed(), now)).outcome).to.equal('rejected');
    expect(lines).to.deep.equal([]);
  });

  it('tells a mail that is refused for now from a provider that is not available', async () => {
    const delivery = opened();
    for (const [refusal, outcome] of [
      ['temporary', 'rejected'],
      [undefined, 'failed'],
    ] as const) {
      mailer.behaviour = failingWith(refusal);
      const result = await delivery.send(claimed(), now);
      expect(result).to.deep.equal({ outcome, reason: 'mail server: no', retryAfterMs: 0 });
    }
    expect(await eventsOf('webhook')).to.deep.equal([]);
  });

  it('keeps a record that it cannot read, because a newer version may have written it', async () => {
    const bodies = ['', '{}', '[1]', JSON.stringify({ ...verification, kind: 'of the future' })];
    const delivery = opened();
    for (const body of bodies) {
      const result = await delivery.send(claimed(verification, body), now);
      expect(result).to.include({ outcome: 'rejected', reason: 'the queued mail cannot be read' });
    }
    expect(mailer.mails).to.deep.equal([]);
  });

  it('waits for the mailer no longer than its timeout, and not after an abort', async () => {
    mailer.behaviour = () => new Promise(() => undefined);
    expect(await opened(20).send(claimed(), now)).to.include({ outcome: 'failed', reason: 'not sent within 20 ms' });
    const delivery = opened();
    const sending = delivery.send(claimed(), now);
    delivery.abort();
    expect(await sending).to.include({ outcome: 'failed', reason: 'the service stops' });
  });

  it('keeps nothing of an attempt that ended, also of a mailer that throws before its first await or never settles', async () => {
    mailer.behaviour = () => new Promise(() => undefined);
    const delivery = opened(20);
    await delivery.send(claimed(), now);
    mailer.send = () => {
      throw new Fault('mail_failed', 'mail server: no');
    };
    expect(await delivery.send(claimed(), now)).to.include({ outcome: 'failed', reason: 'mail server: no' });
    expect(Reflect.get(delivery, 'inProgress')).to.have.property('size', 0);
  });

  it('leaves an unexpected error to the queue, because it concerns one mail', async () => {
    mailer.behaviour = async () => {
      throw new TypeError(link);
    };
    expect(await rejection(opened().send(claimed(), now))).to.be.instanceOf(TypeError);
  });

  describe('of notices', () => {
    const noticeTo = (address: string): ClaimedEvent =>
      claimed({ kind: 'passwordNotice', to: addressOf(address), locale: 'en', secret: '', expires: null });
    const outcomesOf = async (delivery: MailDelivery, events: readonly ClaimedEvent[]): Promise<readonly string[]> => {
      const results = await Promise.all(events.map((event) => delivery.send(event, now)));
      return results.map(({ outcome }) => outcome);
    };
    const times = (count: number, outcome: string): readonly string[] => Array<string>(count).fill(outcome);
    const inTurn = async (delivery: MailDelivery, count: number, address = 'jane@example.com') => {
      const outcomes: string[] = [];
      for (let n = 0; n < count; n++) outcomes.push((await delivery.send(noticeTo(address), now)).outcome);
      return outcomes;
    };

    it('ends after ten to one address in any case, with a line without the address', async () => {
      const delivery = opened();
      expect(await inTurn(delivery, 9)).to.deep.equal(times(9, 'delivered'));
      expect(await inTurn(delivery, 3, 'JANE@example.com')).to.deep.equal(['delivered', 'limited', 'limited']);
      expect(mailer.mails).to.have.length(10);
      expect(lines).to.deep.equal(
        times(2, 'a notice was dropped, because its address had enough of them within a day {"kind":"passwordNotice"}'),
      );
      expect(await inTurn(delivery, 1, 'joe@example.com')).to.deep.equal(['delivered']);
      expect(await delivery.send(claimed(), now)).to.deep.equal({ outcome: 'delivered' });
    });

    it('never exceeds the limit when many are due at once, and drops none that may be within it', async () => {
      const delivery = opened();
      await inTurn(delivery, 3);
      const due = Array.from({ length: 20 }, () => noticeTo('jane@example.com'));
      const outcomes = await outcomesOf(delivery, due);
      expect(outcomes.toSorted()).to.deep.equal([...times(7, 'delivered'), ...times(13, 'rejected')]);
      expect(await inTurn(delivery, 2)).to.deep.equal(times(2, 'limited'));
      expect(mailer.mails).to.have.length(10);
    });

    it('does not count attempts that failed', async () => {
      const delivery = opened();
      mailer.behaviour = failingWith('temporary');
      expect(await inTurn(delivery, 12)).to.deep.equal(times(12, 'rejected'));
      mailer.behaviour = async () => undefined;
      expect(await inTurn(delivery, 10)).to.deep.equal(times(10, 'delivered'));
    });

    it('waits while the count cannot be read, and sends nothing twice when it cannot be written', async () => {
      const down = async () => {
        throw new Fault('store_unavailable', 'the database is down');
      };
      const [status, recordFailure] = [attempts.status, attempts.recordFailure];
      attempts.status = down;
      const delivery = opened();
      expect(await delivery.send(noticeTo('jane@example.com'), now)).to.deep.equal({
        outcome: 'rejected',
        reason: 'notices cannot be counted: the database is down',
        retryAfterMs: 0,
      });
      expect(mailer.mails).to.deep.equal([]);
      attempts.status = status;
      attempts.recordFailure = down;
      expect(await inTurn(delivery, 1)).to.deep.equal(['delivered']);
      expect(lines).to.deep.equal(['a notice that was sent could not be counted {"reason":"the database is down"}']);
      attempts.recordFailure = recordFailure;
      expect(await inTurn(delivery, 1)).to.deep.equal(['delivered']);
    });

    it('starts a damaged count again', async () => {
      const { status } = attempts;
      let reset: string | undefined;
      attempts.status = async () => {
        throw new Fault('store_rejected', 'a count is damaged', { record: 'jane@example.com' });
      };
      attempts.reset = async (user) => {
        reset = user;
        attempts.status = status;
      };
      expect(await inTurn(opened(), 2)).to.deep.equal(['rejected', 'delivered']);
      expect(reset).to.equal('jane@example.com');
    });
  });

  it('has a lane for each domain, whatever its case', () => {
    const delivery = opened();
    const lanes = ['jane@example.com', 'joe@EXAMPLE.com', 'jane@example.org'].map((address) =>
      delivery.laneOf(claimed({ ...verification, to: addressOf(address) })),
    );
    expect(lanes).to.deep.equal(['example.com', 'example.com', 'example.org']);
    expect(delivery.laneOf(claimed(verification, 'not a mail'))).to.equal(undefined);
  });
});
