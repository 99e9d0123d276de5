import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { OneTimeTokenPolicy } from '../../domain/one-time-token.ts';
import { inviteUser } from '../../domain/recovery.ts';
import type { PreparedInvitation } from '../accounts/create-user.ts';
import type { AboutUser } from '../administration/administrator.ts';
import { digestOfLinkToken, linkTokens } from '../mailed-tokens.ts';
import type { UserMail } from '../outgoing/mail-queue.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { anyCaller, onEntityTag } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

/** Makes invitations, whose mails have the link to the page for a first password. */
export class Invitations {
  constructor(
    private readonly clock: Clock,
    readonly policy: OneTimeTokenPolicy,
    private readonly mail: Pick<UserMail, 'to'>,
  ) {}

  /** An invitation with a new token, whoever gets it. */
  prepare(): PreparedInvitation {
    const token = linkTokens.next();
    const time = this.clock.now();
    const issued = { token, expires: time + this.policy.lifetimeMs };
    return { token: { digest: digestOfLinkToken(token), time }, mailTo: (user) => this.mail.to(user, issued, []) };
  }
}

export interface InviteUser extends AboutUser {
  readonly type: 'InviteUser';
  /** The user must have one of these entity tags; undefined for any. */
  readonly ifMatch?: readonly string[] | undefined;
}

type InviteFailure =
  | 'user_not_found'
  | 'user_disabled'
  | 'not_invited'
  | 'resend_too_soon'
  | 'stale_user'
  | 'contended';

/** Right: the user, who gets a mail. */
export type InviteUserResult = Either<Failure<InviteFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly InviteUser: OptionalUseCase<InviteUser, InviteUserResult>;
  }
}

/** Mails an invited user another link, which ends the former one. Both are stored in one step. */
export class InviteUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly invitations: Invitations,
  ) {}

  async handle({ key, ifMatch }: InviteUser, startedMs: number): Promise<InviteUserResult> {
    const { token, mailTo } = this.invitations.prepare();
    return this.updates.apply<InviteFailure>(
      {
        key,
        authorize: onEntityTag(ifMatch, anyCaller),
        transition: (user) => inviteUser(user, token, this.invitations.policy.resendIntervalMs, this.clock.now()),
        events: ['user.invited'],
        mails: (next) => [mailTo(next)],
      },
      startedMs,
    );
  }
}
