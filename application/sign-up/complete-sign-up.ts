import { type Either, isRight, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { addressType } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { CustomProperties, type User, userIdType } from '../../domain/user.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { createUser, mailFailure, withMailTime } from '../../domain/user-update.ts';
import type { UserInsertion } from '../accounts/create-user.ts';
import type { CommandBus } from '../bus.ts';
import { DelayedRequests } from '../outgoing/delayed-requests.ts';
import type { UserMail } from '../outgoing/mail-queue.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { VerificationMailing } from '../verification/verification-mailing.ts';
import type { Authorization } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import { type StoredSignUp, signUpDestination } from './request-sign-up.ts';

export interface CompleteSignUp extends StoredSignUp {
  readonly type: 'CompleteSignUp';
}

type NoticeFailure = 'resend_too_soon' | 'contended';

/** Right: the new user, or the one who gets a notice. */
export type CompleteSignUpResult = Either<Failure<NoticeFailure | 'user_too_large'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly CompleteSignUp: OptionalUseCase<CompleteSignUp, CompleteSignUpResult>;
  }
}

/** A notice that cannot be sent for as long is of no use any more. */
export const noticeLifetimeMs = 24 * 60 * 60_000;

/** The notices to people who have an account already. */
export interface SignUpNotices {
  readonly mail: Pick<UserMail, 'to'>;
  /** The minimum time between a mail to a user and the next notice. */
  readonly intervalMs: number;
}

const isOwn = ({ id, password, creationTime }: User, signUp: StoredSignUp): boolean =>
  signUp.id === undefined ? password === signUp.hash && creationTime === signUp.requestedTime : id === signUp.id;

/**
 * Answers a stored sign-up: creates the user, together with the verification mail, or mails a notice to the user who has the
 * address or the mailbox. A notice is bookkeeping, which no client sees. A sign-up that is answered twice,
 * because the process died in between, has the same result as once.
 */
export class CompleteSignUpHandler {
  constructor(
    private readonly insertion: UserInsertion,
    private readonly updates: OptimisticUpdate,
    private readonly mailing: VerificationMailing,
    private readonly notices: SignUpNotices,
    private readonly clock: Clock,
    /** The public address of the service, with which links start. */
    private readonly baseUrl: string,
  ) {}

  async handle(signUp: CompleteSignUp, startedMs: number): Promise<CompleteSignUpResult> {
    const { address, hash, properties, id, languages, requestedTime } = signUp;
    const created = createUser({ address, properties, password: hash }, hash, requestedTime, id);
    const { transition, mails } = this.mailing.prepare({ baseUrl: this.baseUrl, languages });
    const issued = transition(created);
    const user = isRight(issued) ? issued.right : created;
    return this.insertion.insert(user, mails?.(user) ?? [], startedMs, (key) => this.notify(key, signUp, startedMs));
  }

  private notify(
    key: UserKey,
    signUp: StoredSignUp,
    startedMs: number,
  ): Promise<Either<Failure<NoticeFailure>, StoredUser>> {
    // A user who was deleted since leaves the address free: it is created at the next attempt.
    const authorize: Authorization<'contended'> = async (stored) =>
      stored === undefined ? left(failure('contended')) : right(stored);
    return this.updates.record<NoticeFailure>(
      {
        key,
        authorize,
        transition: (user) => this.withNotice(user, signUp),
        events: [],
        mails: (user) => [
          this.notices.mail.to(user, { token: '', expires: signUp.requestedTime + noticeLifetimeMs }, signUp.languages),
        ],
      },
      startedMs,
    );
  }

  private withNotice(user: User, signUp: StoredSignUp): Either<Failure<'resend_too_soon'>, User> {
    const now = this.clock.now();
    if (isOwn(user, signUp)) return left(failure('resend_too_soon'));
    const refusal = mailFailure(user, this.notices.intervalMs, now, signUp.requestedTime);
    return refusal === null ? right(withMailTime(user, now)) : left(refusal);
  }
}

const storedSignUp = t.intersection([
  t.type({
    address: addressType,
    hash: t.string,
    properties: CustomProperties,
    languages: t.readonlyArray(t.string),
    requestedTime: t.number,
  }),
  t.partial({ id: userIdType }),
]);

/** Completes sign-ups after the response, whose time would otherwise reveal whether the address is known. */
export class SignUpRequests extends DelayedRequests<StoredSignUp> {
  readonly destination = signUpDestination;
  readonly host = 'sign-up';

  constructor(
    private readonly commands: CommandBus,
    timeoutMs: number,
    log: Log,
  ) {
    super(['quiet sign-ups', 'a quiet sign-up'], storedSignUp, timeoutMs, noticeLifetimeMs, log);
  }

  protected answer(signUp: StoredSignUp): Promise<CompleteSignUpResult> {
    return this.commands.dispatch({ type: 'CompleteSignUp', ...signUp });
  }
}
