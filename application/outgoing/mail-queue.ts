import { chainW, isLeft } from 'fp-ts/lib/Either.js';
import { parse } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { guarded } from '../../domain/codec.ts';
import { addressType, type EmailAddress } from '../../domain/email-address.ts';
import { type User, type UserId, userIdType } from '../../domain/user.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import type { Mail } from '../ports/mailer.ts';

/** The changes of which users can be told. */
export const noticeTopics = ['password', 'address', 'recovery', 'state'] as const;

export type NoticeTopic = (typeof noticeTopics)[number];

/** The kinds of mails that tell users of a change, at the address from before it. */
export const noticeKinds = [
  'passwordNotice',
  'recoveryNotice',
  'addressNotice',
  'disabledNotice',
  'enabledNotice',
  'deletedNotice',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];

export const isNotice = (kind: string): kind is NoticeKind => noticeKinds.some((notice) => notice === kind);

/**
 * The kinds of mails, each with texts of its own: a link that verifies an address, a link or code that sets another
 * password, a link that sets the first one, a link that confirms a new address, a notice with a link that cancels the
 * change, to the former address, a notice to a person who signs up with the address of an account, and notices of changes.
 */
export const mailKinds = [
  'verification',
  'recovery',
  'invitation',
  'change',
  'changeNotice',
  'accountExists',
  ...noticeKinds,
] as const;

export type MailKind = (typeof mailKinds)[number];

/** What a mail says; its texts are chosen when it is sent. */
export interface MailRequest {
  readonly kind: MailKind;
  readonly to: EmailAddress;
  /** The id of the user, if it has one. */
  readonly userId?: UserId | undefined;
  /** The language of the texts, one of those that are configured (RFC 5646). */
  readonly locale: string;
  /** The link that the recipient opens, or the code that the recipient enters; empty in a notice of a change. */
  readonly secret: string;
  /** The address that the mail is about, if it is not the recipient: the new address in a `changeNotice`. */
  readonly about?: EmailAddress;
  /** When the link or code expires, in milliseconds since the epoch; null if it never does. The mail is not sent later. */
  readonly expires: number | null;
}

/** Writes the mails of each kind in each configured language. */
export interface MailTexts {
  compose(request: MailRequest): Mail;
}

/**
 * Returns the configured language for a mail to a user: that of a custom property if one is configured, else the first
 * that matches `requested`, the languages of the request in order of preference (RFC 4647, section 3.4), else the default.
 */
export type LocaleChoice = (user: User, requested: readonly string[]) => string;

/** The destination of queued mails in the outbox. No webhook has it. */
export const mailDestination = 'mail';

/** Makes the records of mails that a store writes together with a change, like domain events. */
export class MailQueue {
  constructor(
    private readonly clock: Clock,
    /** Returns a new unique id. */
    private readonly newId: () => string,
  ) {}

  /** A mail that is due now. Its record holds the secret until the mail is delivered or expires. */
  prepare(request: MailRequest): QueuedEvent {
    const time = this.clock.now();
    return { id: `${time}-${this.newId()}`, destination: mailDestination, time, body: JSON.stringify(request) };
  }
}

/** A token that was issued, with the time at which it expires, in milliseconds since the epoch. */
export interface IssuedToken {
  readonly token: string;
  readonly expires: number;
}

/** Returns what the recipient opens or enters: a link with the token, or the code itself. */
export type MailSecret = (address: EmailAddress, token: string) => string;

/** Makes the mails of one kind, each with a link or code. */
export class UserMail {
  constructor(
    private readonly queue: MailQueue,
    private readonly localeOf: LocaleChoice,
    private readonly secretOf: MailSecret,
    private readonly kind: MailKind,
  ) {}

  /** The mail to a user; `languages` are those of the request, in order of preference. */
  to(user: User, { token, expires }: IssuedToken, languages: readonly string[]): QueuedEvent {
    const { address } = user.email;
    const locale = this.localeOf(user, languages);
    return this.queue.prepare({
      kind: this.kind,
      to: address,
      userId: user.id,
      locale,
      secret: this.secretOf(address, token),
      expires,
    });
  }
}

const isMailKind = (value: unknown): value is MailKind => mailKinds.some((kind) => kind === value);

const mailKind = guarded('MailKind', isMailKind);

const queuedMail = t.intersection([
  t.type({
    kind: mailKind,
    to: addressType,
    locale: t.string,
    secret: t.string,
    expires: t.union([t.number, t.null]),
  }),
  t.partial({ about: addressType, userId: userIdType }),
]);

/** The request in the body of a queued mail; undefined for a mail of another version that this one cannot decode. */
export const queuedMailIn = (body: string): MailRequest | undefined => {
  const decoded = chainW(queuedMail.decode)(parse(body));
  if (isLeft(decoded)) return undefined;
  const { about, userId, ...request } = decoded.right;
  return { ...request, ...(about !== undefined && { about }), ...(userId !== undefined && { userId }) };
};
