import { Fault } from '../fault.ts';
import { withTimeout } from '../interceptor.ts';
import { type DeliveryResult, DeliveryTarget } from '../ports/delivery-target.ts';
import type { ClaimedEvent, EventOutbox } from '../ports/event-outbox.ts';
import type { Log } from '../ports/log.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { DomainEvents } from './domain-events.ts';
import { isNotice, type MailRequest, type MailTexts, mailDestination, queuedMailIn } from './mail-queue.ts';
import type { NoticeLimit } from './notice-limit.ts';

/**
 * An outbox stores when a mail is due, and not whether it was claimed or postponed. The due time shows which: a mail
 * is postponed to a whole second, and a claim never ends at one. So administrators can change a mail as soon as its attempt
 * has failed. Mails that a former version postponed count as claimed.
 */
const stepMs = 1_000;

/** When a mail is due that is postponed to a time, in milliseconds since the epoch. */
export const postponedTo = (time: number): number => Math.ceil(time / stepMs) * stepMs;

/** When a claim of a mail ends that lasts until a time. */
export const leaseEnd = (time: number): number => (time % stepMs === 0 ? time + 1 : time);

/** Whether a mail that is due later was postponed; otherwise a process may be sending it. */
export const isPostponed = (due: number): boolean => due % stepMs === 0;

/** Short, because people wait for these mails, and links expire. */
const maxRetryDelayMs = 300_000;

/**
 * The domain without its sub-domains, of which one owner can have any number. A short label before the top-level domain of
 * a country, as in `co.uk`, is taken for a part of the suffix.
 */
const registeredDomainOf = (domain: string): string => {
  const labels = domain.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.');
};

const expiryIn = (request: MailRequest | undefined): number => request?.expires ?? Number.POSITIVE_INFINITY;

export interface MailDeliveryOptions {
  readonly mailer: Mailer;
  /** How mails are sent, for operators. */
  readonly mailerType: string;
  readonly texts: MailTexts;
  readonly outbox: Pick<EventOutbox, 'add'>;
  readonly events: Pick<DomainEvents, 'prepareMailFailed'>;
  /** How long the mailer may take for one mail, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
  readonly noticeLimit: NoticeLimit;
}

/** Sends queued mails. Their records, which hold links and codes, are removed when they are sent, refused or expired. */
export class MailDelivery extends DeliveryTarget {
  readonly destination = mailDestination;
  readonly maxRetryDelayMs = maxRetryDelayMs;
  // A mail whose attempt is aborted may arrive twice, so that a stop waits for the mailer as long as it can.
  readonly stopTimeoutMs = Number.POSITIVE_INFINITY;
  readonly messages = {
    available: 'queued mails are sent again',
    unavailable: 'queued mails cannot be sent; they are retried later',
    rejected: 'the mail provider did not accept a mail, which is retried later',
    expired: 'mails that could not be sent',
  };
  /** Aborts the attempts in progress. */
  private readonly inProgress = new Set<() => void>();
  /** The mails of the events at hand, so that each is decoded once for its domain, its attempt and its expiry. */
  private readonly requests = new WeakMap<ClaimedEvent, MailRequest | undefined>();

  override readonly postponedTo = postponedTo;
  override readonly leaseEnd = leaseEnd;

  constructor(private readonly options: MailDeliveryOptions) {
    super();
  }

  get host(): string {
    return this.options.mailerType;
  }

  get timeoutMs(): number {
    return this.options.timeoutMs;
  }

  async send(event: ClaimedEvent, now: number): Promise<DeliveryResult> {
    const request = this.requestIn(event);
    // Kept for the process that can read it, while processes of two versions run.
    if (request === undefined)
      return { outcome: 'rejected', reason: 'the queued mail cannot be read', retryAfterMs: 0 };
    if (now >= expiryIn(request)) return { outcome: 'expired' };
    try {
      return { outcome: await this.limited(event.id, request) };
    } catch (error) {
      return this.resultOf(error, request);
    }
  }

  /** The domain of the recipient, because its server decides how long a mail takes. */
  laneOf(event: ClaimedEvent): string | undefined {
    const to = this.requestIn(event)?.to;
    return to && registeredDomainOf(to.slice(to.lastIndexOf('@') + 1).toLowerCase());
  }

  expiryOf(event: ClaimedEvent): number {
    return expiryIn(this.requestIn(event));
  }

  abort(): void {
    for (const abort of this.inProgress) abort();
  }

  private requestIn(event: ClaimedEvent): MailRequest | undefined {
    if (!this.requests.has(event)) this.requests.set(event, queuedMailIn(event.body));
    return this.requests.get(event);
  }

  private async limited(id: string, request: MailRequest): Promise<'delivered' | 'limited'> {
    const { noticeLimit, log } = this.options;
    const { kind, to } = request;
    const send = () => this.attempt(id, request);
    if (!isNotice(kind)) await send();
    else if (!(await noticeLimit.run(to, send))) {
      log.warn({ kind }, 'a notice was dropped, because its address had enough of them within a day');
      return 'limited';
    }
    return 'delivered';
  }

  private attempt(id: string, request: MailRequest): Promise<void> {
    const { mailer, texts, timeoutMs } = this.options;
    const mail = { ...texts.compose(request), id };
    let abort = (): void => undefined;
    const sent = new Promise<void>((resolve, reject) => {
      abort = () => reject(new Fault('mail_failed', 'the service stops'));
      this.inProgress.add(abort);
      mailer.send(mail).then(resolve, reject);
    });
    const ended = withTimeout(timeoutMs, sent, () => new Fault('mail_failed', `not sent within ${timeoutMs} ms`));
    return ended.finally(() => this.inProgress.delete(abort));
  }

  private async resultOf(error: unknown, request: MailRequest): Promise<DeliveryResult> {
    const { log, outbox, events } = this.options;
    if (!(error instanceof Fault)) throw error;
    const { message: reason, refusal } = error;
    if (refusal !== 'permanent')
      return { outcome: refusal === 'temporary' ? 'rejected' : 'failed', reason, retryAfterMs: 0 };
    try {
      // Before the mail is removed. If the process ends in between, the event is sent once more.
      await outbox.add(events.prepareMailFailed(request));
    } catch {
      return { outcome: 'rejected', reason: 'the event mail.failed cannot be stored', retryAfterMs: 0 };
    }
    log.warn({ kind: request.kind, reason }, 'the mail provider refused a mail for good');
    return { outcome: 'refused', reason };
  }
}
