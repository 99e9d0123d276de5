import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { EventRelay } from '../../../../adapters/delivery/event-relay.ts';
import { smtp } from '../../../../adapters/mailers/smtp/index.ts';
import { inMemoryAttempts } from '../../../../adapters/stores/rate-limited-attempts.ts';
import { WebhookClient } from '../../../../adapters/webhooks/webhook-client.ts';
import { withoutEvents } from '../../../../application/outgoing/domain-events.ts';
import { MailDelivery } from '../../../../application/outgoing/mail-delivery.ts';
import { MailQueue, type MailTexts, mailDestination } from '../../../../application/outgoing/mail-queue.ts';
import { NoticeLimit, noticeLimits } from '../../../../application/outgoing/notice-limit.ts';
import { Clock } from '../../../../application/ports/clock.ts';
import type { DeliveryTarget } from '../../../../application/ports/delivery-target.ts';
import type { EventOutbox } from '../../../../application/ports/event-outbox.ts';
import type { Log } from '../../../../application/ports/log.ts';
import type { Mailer } from '../../../../application/ports/mailer.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { WebhookReceiver } from '../../../../sdk/contract/http/webhook-receiver.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Certificate, certificateFor, type MailServer, startMailServer } from '../../../support/mail-server.ts';
import { TemporaryDatabase } from '../stores/sqlite/temporary-database.ts';

class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}

const clock = new SystemClock();
const operationTimeoutMs = 10_000;
/** A slow mail is recognized after two seconds. */
const maxDelayMs = 4_000;

describe('an event that fails by itself', function () {
  this.timeout(60_000);
  let database: TemporaryDatabase;
  let outbox: EventOutbox;
  let relay: EventRelay | undefined;
  let lines: string[];

  const record = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: record, warn: record, error: record };

  const start = (target: DeliveryTarget): void => {
    relay = new EventRelay([target], outbox, clock, log);
    relay.start();
  };

  beforeEach(async () => {
    lines = [];
    database = await TemporaryDatabase.create();
    const { events } = await database.openPorts();
    if (events === undefined) throw new TypeError('SQLite stores events');
    outbox = events;
  });
  afterEach(async () => {
    await relay?.stop(0);
    relay = undefined;
    await database.dispose();
  });

  describe('as a mail', () => {
    let certificate: Certificate;
    let server: MailServer;
    let mailer: Mailer;
    let accepted: Map<string, number>;
    const stalled = new Set<() => void>();

    const composed: MailTexts = {
      compose: ({ to, secret }) => {
        if (to.startsWith('damaged')) throw new TypeError(`cannot read ${secret}`);
        return { to, subject: 'subject', text: secret, html: secret };
      },
    };

    const queue = new MailQueue(clock, randomUUID);

    /** Stores mails, and returns when they were stored. */
    const mailTo = async (...recipients: readonly string[]): Promise<number> => {
      const request = { kind: 'verification', locale: 'en', secret: 'a secret link', expires: null } as const;
      await outbox.add(recipients.map((to) => queue.prepare({ ...request, to: addressOf(to) })));
      relay?.queues[0]?.notify();
      return performance.now();
    };

    const many = (count: number, domain: string): readonly string[] =>
      Array.from({ length: count }, (_, n) => `user-${n}-${randomUUID().slice(0, 8)}@${domain}`);

    beforeEach(async () => {
      accepted = new Map();
      certificate = await certificateFor('localhost');
      server = await startMailServer(certificate, {
        authOptional: true,
        disabledCommands: ['AUTH', 'STARTTLS'],
        onRcptTo: ({ address }, _session, done) => {
          // Never answered: as slow as a server may be.
          if (/@tarpit|\.(tarpits\.test|tar\.pits)$/.test(address)) return void stalled.add(() => done());
          if (address.includes('@later')) return done(Object.assign(new Error('later'), { responseCode: 451 }));
          accepted.set(address, performance.now());
          return done();
        },
      });
      const decoded = smtp.configuration.decode({
        host: '127.0.0.1',
        port: server.port,
        fromAddress: 'no-reply@acme.test',
      });
      if (!isRight(decoded)) throw new TypeError('the options of the test are wrong');
      mailer = await smtp.open(decoded.right, { ...silentContext, operationTimeoutMs });
    });
    afterEach(async () => {
      await relay?.stop(0);
      for (const answer of stalled) answer();
      stalled.clear();
      await mailer.close();
      await server.close();
      await certificate.remove();
    });

    const deliver = (): void =>
      start(
        new MailDelivery({
          mailer,
          mailerType: 'smtp',
          texts: composed,
          outbox,
          events: withoutEvents,
          timeoutMs: operationTimeoutMs,
          log,
          noticeLimit: new NoticeLimit(async () => inMemoryAttempts(noticeLimits), log),
        }),
      );

    const allAccepted = (recipients: readonly string[], storedAtMs: number): Promise<void> =>
      eventually(
        async () => {
          for (const recipient of recipients) expect([...accepted.keys()]).to.include(recipient);
        },
        storedAtMs + maxDelayMs - performance.now(),
      );

    it('to a domain that answers late does not delay mails to others, also when it is tried again', async () => {
      const slow = many(32, 'tarpit.test');
      await mailTo(...slow);
      deliver();
      const end = performance.now() + 25_000;
      while (performance.now() < end) {
        const others = [...many(5, 'good.test'), ...many(2, `${randomUUID()}.test`)];
        await allAccepted(others, await mailTo(...others));
      }
      expect(lines.join('\n')).to.not.include('cannot be sent');
      expect(lines.join('\n')).to.include('no response in time');
      await eventually(async () => expect(await outbox.pending(mailDestination, 100)).to.equal(slow.length), 5_000);
    });

    it('to several domains that answer late does not delay mails to others', async () => {
      for (let n = 0; n < 6; n++) await mailTo(...many(16, `tarpit-${n}.test`));
      deliver();
      // Each batch of another slow domain takes two seconds.
      const first = many(5, 'good.test');
      await mailTo(...first);
      await eventually(async () => expect(accepted.size).to.equal(first.length), 20_000);
      const others = many(5, 'good.test');
      await allAccepted(others, await mailTo(...others));
    });

    for (const domain of ['tarpits.test', 'tar.pits'])
      it(`to many sub-domains of ${domain}, which answers late, does not delay mails to others`, async () => {
        for (let n = 0; n < 100; n++) await mailTo(...many(1, `x${n}.${domain}`));
        deliver();
        const end = performance.now() + 15_000;
        while (performance.now() < end) {
          const others = many(5, 'good.test');
          await allAccepted(others, await mailTo(...others));
        }
      });

    it('to a domain that refuses for now does not delay mails to others', async () => {
      await mailTo(...many(100, 'later.test'));
      deliver();
      const others = many(5, 'good.test');
      await allAccepted(others, await mailTo(...others));
    });

    it('that cannot be written is tried later, named in the log, and does not delay others', async () => {
      await mailTo(...many(20, 'good.test').map((recipient) => `damaged-${recipient}`));
      deliver();
      const others = many(5, 'good.test');
      await allAccepted(others, await mailTo(...others));
      const { events } = await outbox.list(mailDestination, 1);
      const named = lines.find((line) => line.includes(events[0]?.id ?? 'no event'));
      expect(named).to.include('unexpected TypeError').and.not.include('secret');
      // A mail counts once the provider's answer is recorded.
      await eventually(async () => {
        const [status] = (await relay?.statuses()) ?? [];
        expect(status).to.include({ failed: 20, delivered: 5, error: undefined });
      }, maxDelayMs);
    });
  });

  describe('at a webhook', () => {
    let receiver: WebhookReceiver;
    beforeEach(async () => {
      receiver = await WebhookReceiver.open();
      receiver.behaviour = ({ body }, response) =>
        body.includes('unanswered') ||
        void response
          .writeHead(body.includes('refused') ? 422 : body.includes('broken') ? 500 : 204, {
            'X-Echo': body.includes('echoed') ? 'a'.repeat(30_000) : 'a',
          })
          .end();
      const { url, secret } = receiver;
      start(new WebhookClient({ destination: 'webhook', url: `${url}/hook`, secrets: [{ secret, expires: null }] }));
    });
    afterEach(() => receiver.close());

    const add = async (count: number, kind: string): Promise<void> => {
      const time = Date.now();
      const body = JSON.stringify({ kind });
      await outbox.add(Array.from({ length: count }, () => ({ id: randomUUID(), destination: 'webhook', time, body })));
      relay?.queues[0]?.notify();
    };

    const delivered = (): number => receiver.received.filter(({ body }) => body.includes('usual')).length;

    for (const [kind, text, timeoutMs] of [
      ['broken', 'that it answers with 500', 16_000],
      ['unanswered', 'that it does not answer', 25_000],
    ] as const)
      it(`${text} does not delay other events for long, however many there are`, async () => {
        await add(100, kind);
        await add(5, 'usual');
        await eventually(async () => expect(delivered()).to.equal(5), timeoutMs);
        await add(5, 'usual');
        await eventually(async () => expect(delivered()).to.equal(10), timeoutMs);
      });

    it('whose response it cannot read does not delay other events', async () => {
      await add(6, 'echoed');
      await eventually(async () => expect(receiver.received.length).to.be.at.least(1), maxDelayMs);
      await add(5, 'usual');
      await eventually(async () => expect(delivered()).to.equal(5), maxDelayMs);
      expect(lines.join('\n')).to.include('HPE_HEADER_OVERFLOW').and.not.include('is unavailable');
    });

    it('with 422 does not delay other events', async () => {
      await add(64, 'refused');
      await add(20, 'usual');
      await eventually(async () => expect(delivered()).to.equal(20), maxDelayMs);
      await add(20, 'usual');
      await eventually(async () => expect(delivered()).to.equal(40), maxDelayMs);
      expect(lines.join('\n')).to.not.include('is unavailable');
      // Counted once the response to the last one has been read.
      await eventually(async () => {
        const [status] = (await relay?.statuses()) ?? [];
        expect(status).to.include({ delivered: 40, error: undefined });
      }, maxDelayMs);
    });
  });
});
