import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { isChangeExpired, isPending, requestChange } from '../../domain/address-move.ts';
import { type EmailAddress, keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { resendTooSoon } from '../../domain/one-time-token.ts';
import type { User } from '../../domain/user.ts';
import { isDisabled } from '../../domain/user-state.ts';
import { msUntilNextMail } from '../../domain/verification.ts';
import { isOutstanding } from '../constant-time.ts';
import { digestOfLinkToken, linkTokens } from '../mailed-tokens.ts';
import type { LocaleChoice, MailQueue, MailRequest } from '../outgoing/mail-queue.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import type { Authorization } from '../writing/authorization.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

/** Makes the link that a person opens, from the present address and the token. */
type ChangeLink = (address: EmailAddress, token: string) => string;

/** The mails about a new address: to the new address, and to the present one. */
export interface ChangeMails {
  readonly queue: MailQueue;
  readonly localeOf: LocaleChoice;
  readonly confirmLinkOf: ChangeLink;
  readonly cancelLinkOf: ChangeLink;
}

/** The options of changes that the new mailbox confirms. */
export interface ChangePolicy {
  /** How long a change waits for its confirmation. */
  readonly changeLifetimeMs: number;
  /** The minimum interval between two mails to a user; null for none. */
  readonly resendIntervalMs: number | null;
}

export type ChangeRequestFailure = 'address_taken' | 'resend_too_soon';

/** One request for a new address. Its tokens stay the same when the update reads the user another time. */
export class ChangeRequest {
  private readonly tokens = { confirm: linkTokens.next(), cancel: linkTokens.next() };
  private readonly digests = {
    pendingDigest: digestOfLinkToken(this.tokens.confirm),
    cancelDigest: digestOfLinkToken(this.tokens.cancel),
  };

  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly links: ChangeMails,
    private readonly policy: ChangePolicy,
    private readonly languages: readonly string[],
  ) {}

  /**
   * The user for whom the address waits. Within the interval between two mails, the same address again changes nothing,
   * so that a request can be repeated, and another one is refused.
   */
  async apply(user: User, address: EmailAddress): Promise<Either<Failure<ChangeRequestFailure>, User>> {
    // The store decides when the change is confirmed; this tells most callers earlier.
    const isOwn = keyOf(address) === keyOf(user.email.address);
    if (!isOwn && (await this.users.find(keyOf(address))) !== undefined) return left(failure('address_taken'));
    const { resendIntervalMs, changeLifetimeMs } = this.policy;
    const now = this.clock.now();
    const waitMs = msUntilNextMail(user, resendIntervalMs, now);
    if (waitMs === 0) return right(requestChange(user, { pending: address, ...this.digests }, now));
    if (isPending(user, address) && !isChangeExpired(user, changeLifetimeMs, now)) return right(user);
    return left(resendTooSoon(waitMs));
  }

  /** The mails of this request, if the user after the update has its change. */
  readonly mails = (user: User): readonly QueuedEvent[] => {
    const { address, pending, pendingTime, pendingDigest } = user.email;
    const isOwn = pendingDigest === this.digests.pendingDigest;
    if (!isOwn || pending === undefined || pendingTime === undefined) return [];
    const { queue, localeOf, confirmLinkOf, cancelLinkOf } = this.links;
    const common = { locale: localeOf(user, this.languages), expires: pendingTime + this.policy.changeLifetimeMs };
    const requests: readonly MailRequest[] = [
      { kind: 'change', to: pending, secret: confirmLinkOf(address, this.tokens.confirm), ...common },
      {
        kind: 'changeNotice',
        to: address,
        about: pending,
        secret: cancelLinkOf(address, this.tokens.cancel),
        ...common,
      },
    ];
    return requests.map((request) => queue.prepare(request));
  };
}

/** Changes of address that the new mailbox confirms. */
export class AddressChanges {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly mails: ChangeMails,
    private readonly policy: ChangePolicy,
  ) {}

  /** `languages` are those of the request, in order of preference. */
  request(languages: readonly string[] = []): ChangeRequest {
    return new ChangeRequest(this.users, this.clock, this.mails, this.policy, languages);
  }
}

/** Why a token does not authorize its caller. */
export type ChangeTokenFailure = 'token_mismatch' | 'token_expired';

/**
 * Authorizes callers by the token of a mail about a new address. Unknown users are refused like wrong tokens. Only the
 * holder of the token may learn that it has expired. With `isUsed`, the change has to be confirmed or cancelled already
 * with the token, and otherwise it has to wait.
 */
export const authorizeByChangeToken = (
  digest: 'pendingDigest' | 'cancelDigest',
  token: string,
  { changeLifetimeMs }: ChangePolicy,
  clock: Clock,
  isUsed = false,
): Authorization<ChangeTokenFailure> => {
  const given = digestOfLinkToken(token);
  return async (stored) => {
    const matches = isOutstanding(stored?.user.email[digest], given);
    const now = clock.now();
    if (stored === undefined || !matches || isDisabled(stored.user, now)) return left(failure('token_mismatch'));
    if (isUsed !== (stored.user.email.pending === undefined)) return left(failure('token_mismatch'));
    return isChangeExpired(stored.user, changeLifetimeMs, now) ? left(failure('token_expired')) : right(stored);
  };
};
