import { asProperties, userLimits } from '../../../adapters/kit/user-json.ts';
import { sha256 } from '../../../adapters/password-hashes/sha256.ts';
import { CommandBus, QueryBus } from '../../../application/bus.ts';
import { ConfirmVerificationHandler } from '../../../application/commands/confirm-verification.ts';
import { CreateUserHandler } from '../../../application/commands/create-user.ts';
import { DeleteUserHandler } from '../../../application/commands/delete-user.ts';
import { ResetVerificationHandler } from '../../../application/commands/reset-verification.ts';
import { SendVerificationHandler } from '../../../application/commands/send-verification.ts';
import { UpdateUserHandler } from '../../../application/commands/update-user.ts';
import { PasswordAuthorizer } from '../../../application/passwords/authorizer.ts';
import type { LoginThrottle } from '../../../application/passwords/login-throttle.ts';
import { NewPassword, PasswordUpdate } from '../../../application/passwords/new-password.ts';
import {
  type CheckHelpers,
  PasswordCheck,
  type PasswordOptions,
} from '../../../application/passwords/password-check.ts';
import type { PasswordHash } from '../../../application/ports/password-hash.ts';
import { CheckVerificationHandler } from '../../../application/queries/check-verification.ts';
import { GetUserHandler } from '../../../application/queries/get-user.ts';
import { OptimisticUpdate } from '../../../application/users/optimistic-update.ts';
import { VerificationMail } from '../../../application/users/verification-mail.ts';
import type { LinkPolicy } from '../../../application/users/verification-token.ts';
import { keyOf } from '../../../domain/email-address.ts';
import type { PropertyRules } from '../../../domain/property-rules.ts';
import type { User } from '../../../domain/user.ts';
import { addressOf } from '../../support/arbitraries.ts';
import { ManualClock, SequentialTokens } from '../../support/doubles/fake-runtime.ts';
import { InterruptedUserStore } from '../../support/doubles/interrupted-user-store.ts';
import { KeptMails } from '../../support/doubles/kept-mails.ts';
import { silentContext } from '../../support/doubles/silent-tools.ts';

/** The address of the one user that most tests are about, and its key. */
export const jane = addressOf('Jane@example.com');
export const janeKey = keyOf(jane);

/** The configuration of passwords. */
export type PasswordPolicy = PasswordOptions & { readonly hideUnknownUsers: boolean };

/** The defaults of the specification, except that passwords are hashed: a test then sees which form it got. */
export const usualPolicy: PasswordPolicy = {
  headerCheck: true,
  serverSideHash: true,
  allowCommonMistakes: false,
  hideUnknownUsers: false,
};

/** The services for passwords, wired as the service wires them. */
export const passwordServices = (
  hash: PasswordHash,
  policy: PasswordPolicy,
  helpers: Partial<CheckHelpers> = {},
  throttle: LoginThrottle | null = null,
) => {
  const timeoutMs = Number.POSITIVE_INFINITY;
  const check = new PasswordCheck(hash, { ...policy, timeoutMs }, { rehasher: null, cache: null, ...helpers });
  const newPassword = new NewPassword(hash, policy.serverSideHash);
  return {
    check,
    authorizer: new PasswordAuthorizer(check, policy.hideUnknownUsers, throttle),
    newPassword,
    passwordUpdate: new PasswordUpdate(hash, check, newPassword),
  };
};

export interface ServiceOptions {
  readonly policy?: Partial<PasswordPolicy>;
  readonly rules?: PropertyRules | null;
  readonly hash?: PasswordHash;
  readonly verificationOnUpdate?: 'body' | 'server';
  readonly tokenLifetime?: number;
  readonly resendInterval?: number;
}

/** Every use case over a store in memory, as the service wires them. */
export const openService = async (options: ServiceOptions = {}) => {
  const store = new InterruptedUserStore();
  const clock = new ManualClock(1_800_000_000_000);
  const mailer = new KeptMails();
  const hash = options.hash ?? (await sha256.open({}, silentContext));
  const policy = { ...usualPolicy, ...options.policy };
  const { authorizer, newPassword, passwordUpdate } = passwordServices(hash, policy);
  const updates = new OptimisticUpdate(store, null);
  const limits = userLimits(options.rules ?? null);
  const mail = new VerificationMail({ subject: 'Hello', text: 'URL', html: '<a href="URL">', placeholder: 'URL' });
  const interceptor = <Result>(_type: string, next: () => Promise<Result>) => next();
  const links: LinkPolicy = {
    whenUnknown: policy.hideUnknownUsers ? 'token_mismatch' : 'user_not_found',
    tokenLifetimeMs: options.tokenLifetime ?? null,
  };
  const commands = new CommandBus(
    {
      CreateUser: new CreateUserHandler(store, newPassword, clock, limits, null),
      UpdateUser: new UpdateUserHandler(
        updates,
        authorizer,
        passwordUpdate,
        clock,
        limits,
        options.verificationOnUpdate ?? 'body',
      ),
      DeleteUser: new DeleteUserHandler(updates, authorizer),
      SendVerification: new SendVerificationHandler(
        updates,
        authorizer,
        clock,
        new SequentialTokens(),
        mail,
        mailer,
        options.resendInterval ?? null,
      ),
      ConfirmVerification: new ConfirmVerificationHandler(updates, clock, links),
      ResetVerification: new ResetVerificationHandler(updates, authorizer, clock),
    },
    interceptor,
  );
  const queries = new QueryBus(
    {
      GetUser: new GetUserHandler(store, authorizer),
      CheckVerification: new CheckVerificationHandler(store, clock, links),
    },
    interceptor,
  );
  return { store, clock, mailer, hash, commands, queries };
};

export type Service = Awaited<ReturnType<typeof openService>>;

/** Stores Jane with the password `secret` and the given changes, and returns her as she is stored. */
export const withJane = async ({ store, hash }: Service, changes: Partial<User> = {}): Promise<User> => {
  const user: User = {
    email: { address: jane, verified: false, verificationToken: null },
    password: await hash.hash('secret'),
    creationTime: 1_700_000_000_000,
    lastUpdateTime: 1_700_000_000_000,
    properties: asProperties('{"name":"Jane"}'),
    ...changes,
  };
  await store.insert(user);
  return user;
};
