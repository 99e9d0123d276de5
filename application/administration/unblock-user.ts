import { type Either, isRight } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface UnblockUser {
  readonly type: 'UnblockUser';
  readonly key: EmailKey;
}

export type UnblockUserResult = Either<Failure<'user_not_found'>, StoredUser>;

declare module '../bus.ts' {
  interface Administration {
    readonly UnblockUser: UseCase<UnblockUser, UnblockUserResult>;
  }
}

/** Forgets the failures that were counted for a user, which ends every block. Client addresses stay blocked. */
export class UnblockUserHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    /** The counters of every kind of attempt. */
    private readonly counters: readonly AttemptCounter[],
  ) {}

  async handle({ key }: UnblockUser): Promise<UnblockUserResult> {
    const found = await anyCaller(await this.users.find(key));
    if (isRight(found)) await Promise.all(this.counters.map((attempts) => attempts.reset(key)));
    return found;
  }
}
