import type { Either } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import { authorizeByChangeToken, type ChangePolicy, type ChangeTokenFailure } from './address-moves.ts';

export interface CheckChange {
  readonly type: 'CheckChange';
  /** The address that the user has. */
  readonly key: EmailKey;
  readonly token: string;
  /** What the token is for. */
  readonly action: 'confirm' | 'cancel';
  /** Whether that has been done with the token already; by default it has not. */
  readonly isUsed?: boolean;
}

export type CheckChangeResult = Either<Failure<ChangeTokenFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckChange: OptionalUseCase<CheckChange, CheckChangeResult>;
  }
}

/** Reads the user whose change of address a token would confirm or cancel, without changing anything. */
export class CheckChangeHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly clock: Clock,
    private readonly policy: ChangePolicy,
  ) {}

  async handle({ key, token, action, isUsed }: CheckChange): Promise<CheckChangeResult> {
    const digest = action === 'confirm' ? 'pendingDigest' : 'cancelDigest';
    const authorize = authorizeByChangeToken(digest, token, this.policy, this.clock, isUsed);
    return authorize(await this.users.find(key));
  }
}
