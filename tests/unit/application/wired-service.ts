import { sha256 } from '../../../adapters/password-hashes/sha256.ts';
import { CommandBus, QueryBus } from '../../../application/bus.ts';
import { ConfirmVerificationHandler } from '../../../application/commands/confirm-verification.ts';
import { CreateUserHandler } from '../../../application/commands/create-user.ts';
import { DeleteUserHandler } from '../../../application/commands/delete-user.ts';
import { ResetVerificationHandler } from '../../../application/commands/reset-verification.ts';
import { SendVerificationHandler } from '../../../application/commands/send-verification.ts';
import { UpdateUserHandler } from '../../../application/commands/update-user.ts';
import { type PasswordPolicy, Passwords } from '../../../application/passwords/passwords.ts';
import type { PasswordHash } from '../../../application/ports/password-hash.ts';
import { CheckVerificationHandler } from '../../../application/queries/check-verification.ts';
import { GetUserHandler } from '../../../application/queries/get-user.ts';
import { noDomainEvents } from '../../../application/users/domain-events.ts';
import { OptimisticUpdate } from '../../../application/users/optimistic-update.ts';
import { VerificationMail } from '../../../application/users/verification-mail.ts';
import type { LinkRules } from '../../../application/users/verification-token.ts';
import { asProperties, type PropertyRules } from '../../../domain/custom-properties.ts';
import { keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { addressOf } from '../../support/arbitraries.ts';
import { CountedTokens } from '../../support/doubles/counted-tokens.ts';
import { InterruptedUserStore } from '../../support/doubles/interrupted-user-store.ts';
import { KeptMails } from '../../support/doubles/kept-mails.ts';
import { SetClock } from '../../support/doubles/set-clock.ts';
import { silentContext } from '../../support/doubles/silent-tools.ts';

/** The address of the one user that most tests are about, and its key. */
export const jane = addressOf('Jane@example.com');
export const janeKey = keyOf(jane);

/** The defaults of the specification, except that passwords are hashed: a test then sees which form it got. */
export const usualPolicy: PasswordPolicy = {
  headerCheck: true,
  serverSideHash: true,
  allowCommonMistakes: false,
  hideUnknownUsers: false,
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
  const clock = new SetClock(1_800_000_000_000);
  const mailer = new KeptMails();
  const hash = options.hash ?? (await sha256.open({}, silentContext));
  const policy = { ...usualPolicy, ...options.policy };
  const passwords = new Passwords(hash, policy);
  const change = new OptimisticUpdate(store, noDomainEvents);
  const rules = options.rules ?? null;
  const mail = new VerificationMail({ subject: 'Hello', text: 'URL', html: '<a href="URL">', placeholder: 'URL' });
  const around = <Result>(_type: string, next: () => Promise<Result>) => next();
  const links: LinkRules = {
    whenUnknown: policy.hideUnknownUsers ? 'token_mismatch' : 'user_not_found',
    tokenLifetime: options.tokenLifetime ?? null,
  };
  const commands = new CommandBus(
    {
      CreateUser: new CreateUserHandler(store, passwords, clock, rules, noDomainEvents),
      UpdateUser: new UpdateUserHandler(change, passwords, clock, rules, options.verificationOnUpdate ?? 'body'),
      DeleteUser: new DeleteUserHandler(change, passwords),
      SendVerification: new SendVerificationHandler(
        change,
        passwords,
        clock,
        new CountedTokens(),
        mail,
        mailer,
        options.resendInterval ?? null,
      ),
      ConfirmVerification: new ConfirmVerificationHandler(change, clock, links),
      ResetVerification: new ResetVerificationHandler(change, passwords, clock),
    },
    around,
  );
  const queries = new QueryBus(
    {
      GetUser: new GetUserHandler(store, passwords),
      CheckVerification: new CheckVerificationHandler(store, clock, links),
    },
    around,
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
