import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { requestMove, waitsFor } from '../../domain/address-move.ts';
import { type EmailAddress, keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { OneTimeTokenPolicy } from '../../domain/one-time-token.ts';
import type { User } from '../../domain/user.ts';
import { mailFailure } from '../../domain/user-update.ts';
import { digestOfLinkToken, linkTokens } from '../mailed-tokens.ts';
import type { LocaleChoice, MailQueue, MailRequest } from '../outgoing/mail-queue.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

/** Makes the link that a person opens, from the present address and the token. */
type MoveLink = (address: EmailAddress, token: string) => string;

/** The mails about a new address: to the new address, and to the present one. */
export interface MoveMails {
  readonly queue: MailQueue;
  readonly localeOf: LocaleChoice;
  readonly confirmLinkOf: MoveLink;
  readonly cancelLinkOf: MoveLink;
}

export type MoveRequestFailure = 'address_taken' | 'resend_too_soon';

/** One request for a new address. Its tokens stay the same when the update reads the user another time. */
export class MoveRequest {
  private readonly tokens = { confirm: linkTokens.next(), cancel: linkTokens.next() };
  private readonly digests = {
    confirmDigest: digestOfLinkToken(this.tokens.confirm),
    cancelDigest: digestOfLinkToken(this.tokens.cancel),
  };

  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly links: MoveMails,
    private readonly policy: OneTimeTokenPolicy,
    private readonly languages: readonly string[],
  ) {}

  /**
   * The user for whom the address waits. Within the interval between two mails, the same address again changes nothing,
   * so that a request can be repeated, and another one is refused.
   */
  async apply(user: User, address: EmailAddress): Promise<Either<Failure<MoveRequestFailure>, User>> {
    // The store decides when the move is confirmed; this tells most callers earlier.
    const isOwn = keyOf(address) === keyOf(user.email.address);
    if (!isOwn && (await this.users.find(keyOf(address))) !== undefined) return left(failure('address_taken'));
    const { resendIntervalMs, lifetimeMs } = this.policy;
    const now = this.clock.now();
    const refusal = mailFailure(user, resendIntervalMs, now);
    if (refusal === null) return right(requestMove(user, { to: address, ...this.digests }, now));
    return waitsFor(user, address, lifetimeMs, now) ? right(user) : left(refusal);
  }

  /** The mails of this request, if the user after the update has its move. */
  readonly mails = (user: User): readonly QueuedEvent[] => {
    const { addressMove, email } = user;
    if (addressMove?.to === undefined || addressMove.confirmDigest !== this.digests.confirmDigest) return [];
    const { address } = email;
    const { to, since } = addressMove;
    const { queue, localeOf, confirmLinkOf, cancelLinkOf } = this.links;
    const common = {
      userId: user.id,
      locale: localeOf(user, this.languages),
      expires: since + this.policy.lifetimeMs,
    };
    const requests: readonly MailRequest[] = [
      { kind: 'change', to, secret: confirmLinkOf(address, this.tokens.confirm), ...common },
      {
        kind: 'changeNotice',
        to: address,
        about: to,
        secret: cancelLinkOf(address, this.tokens.cancel),
        ...common,
      },
    ];
    return requests.map((request) => queue.prepare(request));
  };
}

/** Makes the requests for new addresses. */
export class AddressMoves {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly mails: MoveMails,
    private readonly policy: OneTimeTokenPolicy,
  ) {}

  /** `languages` are those of the request, in order of preference. */
  request(languages: readonly string[] = []): MoveRequest {
    return new MoveRequest(this.users, this.clock, this.mails, this.policy, languages);
  }
}
