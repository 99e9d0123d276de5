import { type Either, isRight } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { ChangeCaller, PasswordAuthorizer, PasswordFailure } from '../passwords/authorizer.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { VerificationMailing, VerificationRequest } from './verification-mailing.ts';

export interface SendVerification extends ChangeCaller, VerificationRequest {
  readonly type: 'SendVerification';
}

export type SendVerificationResult = Either<
  Failure<PasswordFailure | 'resend_too_soon' | 'contended' | 'stale_user'>,
  StoredUser
>;

declare module '../bus.ts' {
  interface Commands {
    readonly SendVerification: UseCase<SendVerification, SendVerificationResult>;
  }
}

/** Stores a new verification token on a user and mails it. Throws the Fault of the mailer where mails are not queued. */
export class SendVerificationHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly authorizer: PasswordAuthorizer,
    private readonly mailing: VerificationMailing,
  ) {}

  async handle(command: SendVerification, startedMs: number): Promise<SendVerificationResult> {
    const { key } = command;
    const { transition, mails, afterwards } = this.mailing.prepare(command);
    const updated = await this.updates.apply<PasswordFailure | 'resend_too_soon' | 'stale_user'>(
      {
        key,
        authorize: this.authorizer.authorizationOf(command),
        transition,
        events: ['verification.sent'],
        mails,
      },
      startedMs,
    );
    if (isRight(updated)) await afterwards(updated.right.user);
    return updated;
  }
}
