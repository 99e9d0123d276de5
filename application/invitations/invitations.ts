import type { OneTimeToken, OneTimeTokenPolicy } from '../../domain/one-time-token.ts';
import type { User } from '../../domain/user.ts';
import { digestOfLinkToken, linkTokens } from '../mailed-tokens.ts';
import type { LocaleChoice, MailQueue } from '../outgoing/mail-queue.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';

/** One invitation: the token that is stored in the user, and the mail that is stored with it. */
export interface PreparedInvitation {
  readonly token: Required<OneTimeToken>;
  readonly mailTo: (user: User) => QueuedEvent;
}

/** Writes the link of a mail from the address of the user and the token. */
type InvitationLink = (address: string, token: string) => string;

/** Makes invitations: the mails with the link to the page for a first password. */
export class Invitations {
  constructor(
    private readonly clock: Clock,
    readonly policy: OneTimeTokenPolicy,
    private readonly queue: MailQueue,
    private readonly localeOf: LocaleChoice,
    private readonly linkOf: InvitationLink,
  ) {}

  /** An invitation with a new token, whoever gets it. */
  prepare(): PreparedInvitation {
    const secret = linkTokens.next();
    const time = this.clock.now();
    return {
      token: { digest: digestOfLinkToken(secret), time },
      mailTo: (user) => {
        const to = user.email.address;
        return this.queue.prepare({
          kind: 'invitation',
          to,
          userId: user.id,
          locale: this.localeOf(user, []),
          secret: this.linkOf(to, secret),
          expires: time + this.policy.lifetimeMs,
        });
      },
    };
  }
}
