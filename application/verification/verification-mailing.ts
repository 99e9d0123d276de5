import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { mailFailure, withoutMailTime } from '../../domain/user-update.ts';
import { issueToken } from '../../domain/verification.ts';
import { withTimeout } from '../interceptor.ts';
import type { LocaleChoice, MailQueue, MailRequest, MailTexts } from '../outgoing/mail-queue.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import type { Mail, Mailer } from '../ports/mailer.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { LinkPolicy } from './confirm-verification.ts';
import type { VerificationMethod } from './verification-codes.ts';

/** The options of sending a verification. */
export interface ResendPolicy extends LinkPolicy {
  /** The minimum interval between two mails to a user; null for none. */
  readonly resendIntervalMs: number | null;
}

/** Writes verification mails. */
export interface VerificationMails extends Pick<VerificationMethod, 'tokens' | 'secretOf'> {
  readonly texts: MailTexts;
  readonly localeOf: LocaleChoice;
  /** Undefined if mails are sent at once, while the caller waits. */
  readonly queue: MailQueue | undefined;
}

/** What a verification mail depends on. */
export interface VerificationRequest {
  /** The public address of the service, without a trailing slash: the link in the mail starts with it. */
  readonly baseUrl: string;
  /** The languages of the request, in order of preference; none by default. */
  readonly languages?: readonly string[] | undefined;
}

/** One mail, with a token that stays the same when the update reads the user another time. */
export interface PreparedVerification {
  readonly transition: (user: User) => Either<Failure<'resend_too_soon'>, User>;
  /** The queued mail, stored with the change; undefined without a queue. */
  readonly mails: ((next: User) => readonly QueuedEvent[]) | undefined;
  /** Sends the mail after the change where there is no queue. Throws the Fault of the mailer. */
  readonly afterwards: (changed: User) => Promise<void>;
}

/** How long the caller waits for `mailTime` to be cleared after a failed mail. */
const clearTimeoutMs = 1_000;

/**
 * Makes verification mails. With a queue the mail is stored in the same step as its token, and sent later. Without one it
 * is sent afterwards: if that fails, the token stays, as does the event that was stored with it, and the next mail, which
 * may follow at once, replaces it.
 */
export class VerificationMailing {
  constructor(
    private readonly updates: Pick<OptimisticUpdate, 'record'>,
    private readonly clock: Clock,
    private readonly mails: VerificationMails,
    private readonly mailer: Mailer,
    private readonly policy: ResendPolicy,
  ) {}

  prepare(request: VerificationRequest): PreparedVerification {
    const token = this.mails.tokens.next();
    const { queue, texts } = this.mails;
    const requestOf = (user: User): MailRequest => this.requestOf(user, token, request);
    return {
      // Decided inside the update, where only one of several concurrent commands wins.
      transition: (user) => this.issueToken(user, token),
      mails: queue && ((next) => [queue.prepare(requestOf(next))]),
      afterwards: async (changed) => {
        if (queue === undefined) await this.send(changed, texts.compose(requestOf(changed)));
      },
    };
  }

  private requestOf(user: User, token: string, { baseUrl, languages = [] }: VerificationRequest): MailRequest {
    const { localeOf, secretOf } = this.mails;
    const { address: to, verification } = user.email;
    const { tokenLifetimeMs } = this.policy;
    const { tokenTime } = verification;
    const expires = tokenLifetimeMs === null || tokenTime === undefined ? null : tokenTime + tokenLifetimeMs;
    const secret = secretOf(baseUrl, to, token);
    return { kind: 'verification', to, userId: user.id, locale: localeOf(user, languages), secret, expires };
  }

  private issueToken(user: User, token: string): Either<Failure<'resend_too_soon'>, User> {
    const now = this.clock.now();
    const refusal = mailFailure(user, this.policy.resendIntervalMs, now);
    if (refusal !== null) return left(refusal);
    return right(issueToken(user, this.mails.tokens.digest(keyOf(user.email.address), token), now));
  }

  private async send(user: User, mail: Mail): Promise<void> {
    try {
      await this.mailer.send(mail);
    } catch (fault) {
      if (this.policy.resendIntervalMs !== null) await this.clearMailTime(user);
      throw fault;
    }
  }

  /** Allows the next mail at once. Never rejects, because the caller must get the Fault of the mailer. */
  private async clearMailTime({ email: { address, verification } }: User): Promise<void> {
    const cleared = this.updates.record({
      key: keyOf(address),
      authorize: anyCaller,
      transition: (user) => right(user.email.verification.token === verification.token ? withoutMailTime(user) : user),
      // No event, because clients see no change.
      events: [],
    });
    await withTimeout(clearTimeoutMs, cleared, () => new Error('too late')).catch(() => undefined);
  }
}
