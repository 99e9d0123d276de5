import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import { anyCaller } from '../passwords/authorizer.ts';
import type { AttemptCounter, AttemptStatus } from '../ports/attempt-counter.ts';
import { type UserStore, visible } from '../ports/user-store.ts';

export interface GetAttempts {
  readonly type: 'GetAttempts';
  readonly key: EmailKey;
}

export type GetAttemptsResult = Either<Failure<'user_not_found'>, AttemptStatus>;

declare module '../bus.ts' {
  interface Administration {
    readonly GetAttempts: UseCase<GetAttempts, GetAttemptsResult>;
  }
}

/** Reads how many wrong passwords are counted for a user, and how long they block it; none if they are not counted. */
export class GetAttemptsHandler {
  constructor(
    private readonly users: UserStore,
    /** Null if wrong passwords are not counted. */
    private readonly attempts: AttemptCounter | null,
  ) {}

  async handle({ key }: GetAttempts): Promise<GetAttemptsResult> {
    const found = await anyCaller(visible(await this.users.find(key)));
    if (isLeft(found)) return found;
    return right((await this.attempts?.status({ user: key, client: undefined })) ?? { blockedForMs: 0, failures: 0 });
  }
}
