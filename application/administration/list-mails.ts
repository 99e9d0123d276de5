import { type Either, right } from 'fp-ts/lib/Either.js';
import type { EmailAddress } from '../../domain/email-address.ts';
import type { UserId } from '../../domain/user.ts';
import { type MailKind, mailDestination, queuedMailIn } from '../outgoing/mail-queue.ts';
import type { EventOutbox, WaitingEvent } from '../ports/event-outbox.ts';
import type { ByAdministrator } from './administrator.ts';

/** Lists the queued mails that are not sent yet. */
export interface ListMails extends ByAdministrator {
  readonly type: 'ListMails';
  readonly limit: number;
  /** The `next` of the previous page; undefined for the first one. */
  readonly after: string | undefined;
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

declare module '../bus.ts' {
  interface Queries {
    readonly ListMails: OptionalUseCase<ListMails, Either<never, WaitingMails>>;
  }
}

/** The mail of a stored event; undefined if a Latchkey wrote it that has other mails than this one. */
export const waitingMailOf = ({ id, body, time, attempts, due }: WaitingEvent): WaitingMail | undefined => {
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
