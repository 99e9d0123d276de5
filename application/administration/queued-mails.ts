import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { EmailAddress } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { UserId } from '../../domain/user.ts';
import type { DomainEvents } from '../outgoing/domain-events.ts';
import { isPostponed, leaseEnd } from '../outgoing/mail-delivery.ts';
import { type MailKind, mailDestination, queuedMailIn } from '../outgoing/mail-queue.ts';
import { claimEvent, findEvent } from '../outgoing/single-events.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClaimedEvent, EventOutbox, WaitingEvent } from '../ports/event-outbox.ts';
import type { ByAdministrator } from './administrator.ts';

/** Lists the queued mails that are not sent yet. */
export interface ListMails extends ByAdministrator {
  readonly type: 'ListMails';
  readonly limit: number;
  /** The `next` of the previous page; undefined for the first one. */
  readonly after?: string | undefined;
}

/** A queued mail without its link or code. Times are in milliseconds since the epoch. */
export interface WaitingMail {
  /** Unique among the waiting mails. */
  readonly id: string;
  readonly kind: MailKind;
  readonly to: EmailAddress;
  /** The id of the user, if it had one when the mail was requested. */
  readonly userId?: UserId | undefined;
  /** When it was requested. */
  readonly since: number;
  readonly attempts: number;
  /** When it is sent next, at the earliest. */
  readonly due: number;
}

export interface WaitingMails {
  readonly mails: readonly WaitingMail[];
  readonly next: string | undefined;
}

interface AboutMail extends ByAdministrator {
  /** The id of a mail that waits. */
  readonly id: string;
}

export interface RetryMail extends AboutMail {
  readonly type: 'RetryMail';
}

export interface DiscardMail extends AboutMail {
  readonly type: 'DiscardMail';
}

/** A mail that was not changed, because a process may be sending it. */
interface MailInDelivery extends Failure<'mail_in_delivery'> {
  readonly mail: WaitingMail;
}

/** The mail as it waits after `RetryMail`, or as it was before `DiscardMail`. */
export type ChangeMailResult = Either<Failure<'mail_not_found'> | MailInDelivery, WaitingMail>;

declare module '../bus.ts' {
  interface Queries {
    readonly ListMails: OptionalUseCase<ListMails, Either<never, WaitingMails>>;
  }
  interface Commands {
    readonly RetryMail: OptionalUseCase<RetryMail, ChangeMailResult>;
    readonly DiscardMail: OptionalUseCase<DiscardMail, ChangeMailResult>;
  }
}

/** The mail of a stored event; undefined if a Latchkey wrote it that has other mails than this one. */
const waitingMailOf = ({ id, body, time, attempts, due }: WaitingEvent): WaitingMail | undefined => {
  const request = queuedMailIn(body);
  return request && { id, kind: request.kind, to: request.to, userId: request.userId, since: time, attempts, due };
};

/** Reads a page of the queue, oldest first as far as the store knows. */
export class ListMailsHandler {
  constructor(private readonly outbox: Pick<EventOutbox, 'list'>) {}

  async handle({ limit, after }: ListMails): Promise<Either<never, WaitingMails>> {
    const { events, next } = await this.outbox.list(mailDestination, limit, after);
    const mails = events.map(waitingMailOf).filter((mail) => mail !== undefined);
    return right({ mails, next });
  }
}

interface Found {
  readonly event: WaitingEvent;
  readonly mail: WaitingMail;
}

/**
 * The queued mails for what administrators do with one of them. A mail that a process is sending is due when its lease
 * ends, which is within `longestLeaseMs` and tells it from a mail that was postponed.
 */
export class QueuedMails {
  constructor(
    readonly outbox: EventOutbox,
    readonly clock: Clock,
    /** How long a claim hides a mail at most, with what the clocks of two processes may differ. */
    readonly longestLeaseMs: number,
  ) {}

  /** The mail with an id. Refused if a process may be sending it, in which case nothing of it may be changed. */
  async find(id: string): Promise<Either<Failure<'mail_not_found'> | MailInDelivery, Found>> {
    const event = await findEvent(this.outbox, mailDestination, id);
    const mail = event && waitingMailOf(event);
    if (event === undefined || mail === undefined) return left(failure('mail_not_found'));
    const { due } = mail;
    const now = this.clock.now();
    const mayBeInDelivery = due > now && due <= now + this.longestLeaseMs && !isPostponed(due);
    return mayBeInDelivery ? this.inDelivery(mail, due) : right({ event, mail });
  }

  /** Claims one mail, that a process does not send it meanwhile; undefined if a process was faster. */
  claim(event: WaitingEvent): Promise<ClaimedEvent | undefined> {
    return claimEvent(this.outbox, event, leaseEnd(this.clock.now() + this.longestLeaseMs));
  }

  /** The refusal to change a mail: its attempt is over when the lease of the process ends, if not before. */
  inDelivery(mail: WaitingMail, leaseEndMs: number): Either<MailInDelivery, never> {
    const retryAfterSeconds = Math.ceil((leaseEndMs - this.clock.now()) / 1000);
    return left({ code: 'mail_in_delivery', retryAfterSeconds: Math.max(1, retryAfterSeconds), mail });
  }
}

/**
 * Makes a mail due now. One that is being sent stays as it is, which is refused: it is never sent twice for that. A process
 * that claims it first goes on.
 */
export class RetryMailHandler {
  constructor(private readonly mails: QueuedMails) {}

  async handle({ id }: RetryMail): Promise<ChangeMailResult> {
    const { outbox, clock } = this.mails;
    const found = await this.mails.find(id);
    if (isLeft(found)) return found;
    const { event, mail } = found.right;
    const now = clock.now();
    if (mail.due <= now) return right(mail);
    await outbox.postpone(event, now);
    return right({ ...mail, due: now });
  }
}

/**
 * Removes a mail, and tells the application with `mail.failed`. It claims the mail first, as a process does that sends it,
 * so that a mail is never both sent and reported as failed, unless this process ends between the two.
 */
export class DiscardMailHandler {
  constructor(
    private readonly mails: QueuedMails,
    private readonly events: Pick<DomainEvents, 'prepareMailFailed'>,
  ) {}

  async handle({ id }: DiscardMail): Promise<ChangeMailResult> {
    const { outbox, clock } = this.mails;
    const found = await this.mails.find(id);
    if (isLeft(found)) return found;
    const { event, mail } = found.right;
    const now = clock.now();
    const claimed = await this.mails.claim(event);
    if (claimed === undefined) return this.mails.inDelivery(mail, now + this.mails.longestLeaseMs);
    await outbox.add(this.events.prepareMailFailed(mail));
    await outbox.done(claimed);
    return right(mail);
  }
}
