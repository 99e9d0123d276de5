import { type Either, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import { resetVerification } from '../../domain/verification.ts';
import type { ChangeCaller, PasswordAuthorizer, PasswordFailure } from '../passwords/authorizer.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

export interface ResetVerification extends ChangeCaller {
  readonly type: 'ResetVerification';
}

export type ResetVerificationResult = Either<Failure<PasswordFailure | 'contended' | 'stale_user'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly ResetVerification: UseCase<ResetVerification, ResetVerificationResult>;
  }
}

/** Marks the address of a user as not verified, without an outstanding token. */
export class ResetVerificationHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly authorizer: PasswordAuthorizer,
    private readonly clock: Clock,
  ) {}

  handle(command: ResetVerification, startedMs: number): Promise<ResetVerificationResult> {
    return this.updates.apply<PasswordFailure | 'stale_user'>(
      {
        key: command.key,
        authorize: this.authorizer.authorizationOf(command),
        transition: (user) => right(resetVerification(user, this.clock.now())),
        events: ['verification.reset'],
      },
      startedMs,
    );
  }
}
