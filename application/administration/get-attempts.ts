import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { AttemptCounter, AttemptStatus } from '../ports/attempt-counter.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface GetAttempts {
  readonly type: 'GetAttempts';
  readonly key: EmailKey;
}

export interface CountedAttempts {
  readonly passwords: AttemptStatus;
  /** Of the tokens of a recovery; null if they are not counted. */
  readonly tokens: AttemptStatus | null;
}

export type GetAttemptsResult = Either<Failure<'user_not_found'>, CountedAttempts>;

declare module '../bus.ts' {
  interface Administration {
    readonly GetAttempts: UseCase<GetAttempts, GetAttemptsResult>;
  }
}

/** Reads how many wrong passwords and tokens are counted for a user, and how long they block it. */
export class GetAttemptsHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    /** Undefined if wrong passwords are not counted. */
    private readonly passwords: AttemptCounter | undefined,
    /** Undefined if wrong tokens are not counted. */
    private readonly tokens: AttemptCounter | undefined,
  ) {}

  async handle({ key }: GetAttempts): Promise<GetAttemptsResult> {
    const found = await anyCaller(await this.users.find(key));
    if (isLeft(found)) return found;
    const attempt = { user: key, client: undefined };
    const [passwords, tokens] = await Promise.all([this.passwords?.status(attempt), this.tokens?.status(attempt)]);
    return right({ passwords: passwords ?? { blockedForMs: 0, failures: 0 }, tokens: tokens ?? null });
  }
}
