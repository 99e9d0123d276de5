import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { type EmailAddress, keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { type OneTimeTokenPolicy, resendFailure } from '../../domain/one-time-token.ts';
import { issueRecovery } from '../../domain/recovery.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { isDisabled } from '../../domain/user-state.ts';
import type { MailedTokens } from '../mailed-tokens.ts';
import type { IssuedToken, UserMail } from '../outgoing/mail-queue.ts';
import type { Clock } from '../ports/clock.ts';
import { type Authorization, anyCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

export interface IssueRecovery {
  readonly type: 'IssueRecovery';
  readonly key: UserKey;
  /** The languages of the request, in order of preference (RFC 5646). */
  readonly languages: readonly string[];
  /**
   * When a stored request was made, in milliseconds since the epoch: a token that was issued since then answers it.
   * Undefined if it was made now.
   */
  readonly requestedTime?: number | undefined;
}

type IssueFailure = 'user_not_found' | 'resend_too_soon' | 'contended';

/** Right: the token, and the address of the user: the one that was given may be another spelling of it. */
export type IssueRecoveryResult = Either<Failure<IssueFailure>, IssuedToken & { readonly address: EmailAddress }>;

declare module '../bus.ts' {
  interface Commands {
    readonly IssueRecovery: OptionalUseCase<IssueRecovery, IssueRecoveryResult>;
  }
}

/**
 * Gives a user a token with which a forgotten password can be replaced, and stores the mail with it in the same step. A
 * disabled user is refused like an unknown one.
 */
export class IssueRecoveryHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly tokens: MailedTokens,
    private readonly limits: OneTimeTokenPolicy,
    /** With the token; none if the caller sends it. */
    private readonly mails: readonly UserMail[],
  ) {}

  async handle({ key, languages, requestedTime }: IssueRecovery, startedMs: number): Promise<IssueRecoveryResult> {
    const now = this.clock.now();
    const issued = { token: this.tokens.next(), expires: now + this.limits.lifetimeMs };
    const updated = await this.updates.record<IssueFailure>(
      {
        key,
        authorize: this.whileEnabled,
        transition: (user) => {
          const refusal = resendFailure(user.recovery?.time, this.limits.resendIntervalMs, now, requestedTime);
          const digest = this.tokens.digest(keyOf(user.email.address), issued.token);
          return refusal === null ? right(issueRecovery(user, digest, now)) : left(refusal);
        },
        events: ['recovery.sent'],
        mails: (user) => this.mails.map((mail) => mail.to(user, issued, languages)),
      },
      startedMs,
    );
    if (isLeft(updated)) return updated;
    return right({ ...issued, address: updated.right.user.email.address });
  }

  private readonly whileEnabled: Authorization<'user_not_found'> = async (stored) =>
    stored !== undefined && isDisabled(stored.user, this.clock.now())
      ? left(failure('user_not_found'))
      : anyCaller(stored);
}
