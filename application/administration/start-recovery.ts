import { type Either, isLeft } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { RequestRecoveryHandler } from '../recovery/request-recovery.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import type { AboutUser } from './administrator.ts';

export interface StartRecovery extends AboutUser {
  readonly type: 'StartRecovery';
}

export type StartRecoveryResult = Either<Failure<'user_not_found'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly StartRecovery: OptionalUseCase<StartRecovery, StartRecoveryResult>;
  }
}

/** Requests a recovery for an administrator, who learns whether the user exists. The mail follows as for a user. */
export class StartRecoveryHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly requests: Pick<RequestRecoveryHandler, 'store'>,
  ) {}

  async handle({ key }: StartRecovery): Promise<StartRecoveryResult> {
    const found = await anyCaller(await this.users.find(key));
    if (!isLeft(found)) await this.requests.store(keyOf(found.right.user.email.address), []);
    return found;
  }
}
