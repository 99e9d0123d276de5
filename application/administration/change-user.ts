import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { cancelMove } from '../../domain/address-move.ts';
import { checkSpelling, type EmailAddress } from '../../domain/email-address.ts';
import { type Failure, type FailureCode, failure } from '../../domain/failure.ts';
import { type CustomProperties, propertyOf, type User } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { propertyTaken } from '../../domain/user-name.ts';
import {
  disableUser,
  enableUser,
  isDisabled,
  requirePasswordChange,
  withdrawPasswordChange,
} from '../../domain/user-state.ts';
import {
  unlessUnchanged,
  updateTime,
  withAddress,
  withPassword,
  withUnknownPassword,
} from '../../domain/user-update.ts';
import { confirmVerification, resetVerification } from '../../domain/verification.ts';
import type { PatchUser } from '../accounts/patch-user.ts';
import type { PasswordUpdate } from '../passwords/password-update.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { VerificationMailing, VerificationRequest } from '../verification/verification-mailing.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import { administrativeChanges, type ChangeOfUser } from './administrative-change.ts';

/**
 * The changes of users by administrators, who need no password: one line for each type of message, with its events and
 * its transition. The messages and their results have the types of these lines.
 */
export const userChanges = (
  updates: OptimisticUpdate,
  passwords: Pick<PasswordUpdate, 'storedHashOf'>,
  mailing: Pick<VerificationMailing, 'prepare'>,
  algorithm: Pick<PasswordHash, 'hash'>,
  clock: Clock,
  limits: UserLimits,
  hasIds: boolean,
) => {
  /** The properties without the id of the user, which may be repeated; a property `id` only if it is not `guessed`. */
  const withOwnId = (
    user: User,
    properties: CustomProperties,
    guessed: boolean,
  ): Either<Failure<'id_immutable'>, CustomProperties> => {
    const id = propertyOf({ properties }, 'id') ?? undefined;
    if (!hasIds || id === undefined || (id === propertyOf(user, 'id') && !guessed)) return right(properties);
    if (id === user.id) return right(limits.withId({ ...user, properties }, user.id).properties);
    return left(failure('id_immutable', [{ path: 'id', message: 'is the id, which never changes' }]));
  };
  const { prepared, change } = administrativeChanges(updates, clock);
  /** A change that was required of the user stays required. */
  const passwordChange = <Input, Code extends FailureCode = never>(
    hashFor: (message: Input & ChangeOfUser, user: User) => Promise<Either<Failure<Code>, string>>,
    withHash = withPassword,
  ) =>
    prepared<Input, Code | 'user_too_large'>(['user.updated', 'password.changed'], async (message) => {
      // Kept for a repeated attempt of the update, because hashing is slow.
      let hash: Either<Failure<Code>, string> | undefined;
      return right({
        transition: async (user, now) => {
          hash ??= await hashFor(message, user);
          return isLeft(hash) ? hash : right(withHash(user, hash.right, now));
        },
        whenTooLarge: 'user_too_large',
      });
    });

  return {
    DisableUser: change<{ readonly reason: string; readonly until: number | undefined }>(
      ['user.disabled'],
      (user, now, message) => right(disableUser(user, message, now)),
    ),
    EnableUser: change(['user.enabled'], (user, now) => right(enableUser(user, now))),
    RequirePasswordChange: change(['user.updated'], (user, now) => right(requirePasswordChange(user, now))),
    WithdrawPasswordChange: change(['user.updated'], (user, now) => right(withdrawPasswordChange(user, now))),
    /** The password is in clear or, where clients hash passwords, also a hash. */
    SetPassword: passwordChange(({ password }: { readonly password: string }, { email }) =>
      passwords.storedHashOf(password, [email.address]),
    ),
    /**
     * Replaces the password with a random one of 122 bits, which is not kept. The user has a valid hash, so that a check
     * takes as long as before, and an export can be imported again.
     */
    ClearPassword: passwordChange<object>(
      async () => right(await algorithm.hash(crypto.randomUUID())),
      withUnknownPassword,
    ),
    /** `changeProperties` and `writesUnchanged` are those of `PatchUser`; `hasId` says whether the change has an `id`. */
    EditProperties: prepared<
      Pick<PatchUser, 'changeProperties' | 'writesUnchanged'> & { readonly hasId: boolean },
      'invalid_properties' | 'user_too_large' | 'property_taken' | 'id_immutable'
    >(['user.updated'], async ({ changeProperties, writesUnchanged = false, hasId }) =>
      right({
        transition: (user, now) => {
          const edited = withOwnId(user, changeProperties(user.properties), writesUnchanged && hasId);
          if (isLeft(edited)) return edited;
          const edit = { properties: edited.right, lastUpdateTime: updateTime(user, now) };
          const allowed = limits.checkProperties(edit.properties);
          if (isLeft(allowed)) return allowed;
          const unique = limits.checkUnique(edit, user);
          if (isLeft(unique)) return unique;
          return right(writesUnchanged ? { ...user, ...edit } : unlessUnchanged(user, { ...user, ...edit }));
        },
        whenTooLarge: 'user_too_large',
        whenNameTaken: propertyTaken,
      }),
    ),
    /**
     * Another mailbox is not verified. What was mailed to the former one ends, so that an invited user has to be invited
     * again.
     */
    ChangeAddress: prepared<
      { readonly address: EmailAddress },
      'unsuitable_address' | 'address_taken' | 'user_too_large'
    >(['user.updated', 'address.changed'], async ({ address }) => {
      const spelt = checkSpelling(address);
      if (isLeft(spelt)) return spelt;
      return right({
        transition: (user, now) => right(withAddress(user, address, now)),
        whenTooLarge: 'user_too_large',
        whenTaken: 'address_taken',
      });
    }),
    /** The token stays, so that a link in a mail goes on to say that the address is verified. */
    MarkVerified: change(['verification.confirmed'], (user, now) => right(confirmVerification(user, now))),
    CancelMove: change(['user.updated'], (user, now) => right(cancelMove(user, now)), 'CancelChange'),
    // In metrics, the messages of users and of administrators have one name where they do the same.
    ForceReset: change(['verification.reset'], (user, now) => right(resetVerification(user, now)), 'ResetVerification'),
    /** Refused for a disabled user, whose links do not work. */
    MailVerification: prepared<VerificationRequest, 'user_disabled' | 'resend_too_soon'>(
      ['verification.sent'],
      async (message) => {
        const mail = mailing.prepare(message);
        return right({
          ...mail,
          transition: (user, now) => (isDisabled(user, now) ? left(failure('user_disabled')) : mail.transition(user)),
        });
      },
      'SendVerification',
    ),
    RemoveUser: change(['user.deleted'], () => right('removed'), 'DeleteUser'),
  };
};

type UserChanges = ReturnType<typeof userChanges>;

/** The messages, each with its own input and failures. Right: the user after the change, or the one that was removed. */
type ChangeUseCases = {
  readonly [Type in keyof UserChanges]: {
    readonly message: Parameters<UserChanges[Type]['handle']>[0] & { readonly type: Type };
    readonly result: Awaited<ReturnType<UserChanges[Type]['handle']>>;
    readonly isOptional: true;
  };
};

declare module '../bus.ts' {
  interface Commands extends ChangeUseCases {}
}
