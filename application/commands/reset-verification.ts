import { type Either, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { reset } from '../../domain/verification.ts';
import type { Authorizer, Caller } from '../passwords/passwords.ts';
import type { Clock } from '../ports/clock.ts';
import type { UseCase } from '../use-case.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';

export interface ResetVerification extends Caller {
  readonly type: 'ResetVerification';
}

export type ResetVerificationCase = UseCase<ResetVerification, Either<Failure, User>>;

/** Marks a user's address as not verified, with no token outstanding. Left: `user_not_found`, `wrong_password`, `too_many_attempts`, `contended`. */
export class ResetVerificationHandler {
  constructor(
    private readonly change: OptimisticUpdate,
    private readonly gates: Authorizer,
    private readonly clock: Clock,
  ) {}

  handle({ key, supplied, client }: ResetVerification): Promise<Either<Failure, User>> {
    return this.change.apply({
      key,
      gate: this.gates.gate({ key, supplied, client }),
      transition: (user) => right(reset(user, this.clock.now())),
      event: 'verification.reset',
      whenContended: 'contended',
    });
  }
}
