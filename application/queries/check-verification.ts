import type { Either } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { Clock } from '../ports/clock.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { UseCase } from '../use-case.ts';
import { authorizeByToken, type LinkRules } from '../users/verification-token.ts';

export interface CheckVerification {
  readonly type: 'CheckVerification';
  readonly key: EmailKey;
  readonly token: string;
}

export type CheckVerificationCase = UseCase<CheckVerification, Either<Failure, User>>;

/**
 * The user whom a token would verify, and nothing changes. Left: `token_mismatch`, `token_expired`, and
 * `user_not_found` where that is not hidden, as the confirmation would say.
 */
export class CheckVerificationHandler {
  constructor(
    private readonly users: UserStore,
    private readonly clock: Clock,
    private readonly rules: LinkRules,
  ) {}

  async handle({ key, token }: CheckVerification): Promise<Either<Failure, User>> {
    const stored = await this.users.find(key);
    return authorizeByToken(token, this.rules, this.clock)(stored?.user);
  }
}
