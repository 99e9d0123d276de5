import type { Either } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import { authorizeByToken, type LinkPolicy, type TokenFailure } from './verification-token.ts';

export interface CheckVerification {
  readonly type: 'CheckVerification';
  readonly key: EmailKey;
  readonly token: string;
}

export type CheckVerificationResult = Either<Failure<TokenFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckVerification: UseCase<CheckVerification, CheckVerificationResult>;
  }
}

/** Reads the user whom a token would verify, without changing anything. */
export class CheckVerificationHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly links: LinkPolicy,
  ) {}

  async handle({ key, token }: CheckVerification): Promise<CheckVerificationResult> {
    return authorizeByToken(token, this.links, this.clock)(await this.users.find(key));
  }
}
