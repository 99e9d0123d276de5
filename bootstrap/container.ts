import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import { CommandBus, QueryBus } from '../application/bus.ts';
import { ConfirmVerificationHandler } from '../application/commands/confirm-verification.ts';
import { CreateUserHandler } from '../application/commands/create-user.ts';
import { DeleteUserHandler } from '../application/commands/delete-user.ts';
import { ResetVerificationHandler } from '../application/commands/reset-verification.ts';
import { SendVerificationHandler } from '../application/commands/send-verification.ts';
import { UpdateUserHandler } from '../application/commands/update-user.ts';
import type { Interceptor } from '../application/interceptor.ts';
import type { LoginThrottle } from '../application/passwords/login-throttle.ts';
import type { CheckAids } from '../application/passwords/password-check.ts';
import { type PasswordPolicy, Passwords } from '../application/passwords/passwords.ts';
import type { AttemptCounter } from '../application/ports/attempt-counter.ts';
import { Clock } from '../application/ports/clock.ts';
import { Mailer } from '../application/ports/mailer.ts';
import { PasswordHash } from '../application/ports/password-hash.ts';
import { Tokens } from '../application/ports/tokens.ts';
import { type StorePorts, UserStore } from '../application/ports/user-store.ts';
import { CheckVerificationHandler } from '../application/queries/check-verification.ts';
import { GetUserHandler } from '../application/queries/get-user.ts';
import type { DomainEvents } from '../application/users/domain-events.ts';
import { OptimisticUpdate } from '../application/users/optimistic-update.ts';
import { type MailTemplate, VerificationMail } from '../application/users/verification-mail.ts';
import type { LinkRules } from '../application/users/verification-token.ts';
import type { PropertyRules } from '../domain/custom-properties.ts';

/** The opened adapters, each bound to its port. */
export interface Adapters {
  readonly store: StorePorts;
  readonly hash: PasswordHash;
  readonly mailer: Mailer;
  /** Null where wrong passwords are not counted. */
  readonly attempts: AttemptCounter | null;
  readonly clock: Clock;
  readonly tokens: Tokens;
}

/** What the use cases take from the configuration. */
export interface Policies {
  readonly passwords: PasswordPolicy;
  /** What is done beside the checks of passwords. */
  readonly aids: CheckAids;
  /** How long a caller waits for an answer, in milliseconds. */
  readonly patience: number;
  /** Undefined where wrong passwords are not counted. */
  readonly throttle: LoginThrottle | undefined;
  readonly properties: PropertyRules | null;
  readonly verificationOnUpdate: 'body' | 'server';
  readonly links: LinkRules;
  /** How many milliseconds there are between two mails to a user at least; null lets all pass. */
  readonly resendInterval: number | null;
  readonly mail: MailTemplate;
  readonly announcements: DomainEvents;
  /** Wraps every message of both buses. */
  readonly around: Interceptor;
}

const ports = ({ store, hash, mailer, clock, tokens }: Adapters): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(UserStore).toConstantValue(store.users);
    bind(PasswordHash).toConstantValue(hash);
    bind(Mailer).toConstantValue(mailer);
    bind(Clock).toConstantValue(clock);
    bind(Tokens).toConstantValue(tokens);
  });

const useCases = (policies: Policies): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { passwords, aids, patience, throttle, properties } = policies;
    const { verificationOnUpdate, mail, links, resendInterval, announcements } = policies;
    bind(Passwords)
      .toResolvedValue((hash: PasswordHash) => new Passwords(hash, passwords, patience, aids, throttle), [PasswordHash])
      .inSingletonScope();
    bind(OptimisticUpdate).toResolvedValue(
      (users: UserStore) => new OptimisticUpdate(users, announcements),
      [UserStore],
    );
    bind(VerificationMail).toConstantValue(new VerificationMail(mail));
    bind(CreateUserHandler).toResolvedValue(
      (users: UserStore, checks: Passwords, clock: Clock) =>
        new CreateUserHandler(users, checks, clock, properties, announcements),
      [UserStore, Passwords, Clock],
    );
    bind(UpdateUserHandler).toResolvedValue(
      (change: OptimisticUpdate, checks: Passwords, clock: Clock) =>
        new UpdateUserHandler(change, checks, clock, properties, verificationOnUpdate),
      [OptimisticUpdate, Passwords, Clock],
    );
    bind(DeleteUserHandler).toResolvedValue(
      (change: OptimisticUpdate, checks: Passwords) => new DeleteUserHandler(change, checks),
      [OptimisticUpdate, Passwords],
    );
    bind(SendVerificationHandler).toResolvedValue(
      (
        change: OptimisticUpdate,
        checks: Passwords,
        clock: Clock,
        tokens: Tokens,
        text: VerificationMail,
        mailer: Mailer,
      ) => new SendVerificationHandler(change, checks, clock, tokens, text, mailer, resendInterval),
      [OptimisticUpdate, Passwords, Clock, Tokens, VerificationMail, Mailer],
    );
    bind(ConfirmVerificationHandler).toResolvedValue(
      (change: OptimisticUpdate, clock: Clock) => new ConfirmVerificationHandler(change, clock, links),
      [OptimisticUpdate, Clock],
    );
    bind(ResetVerificationHandler).toResolvedValue(
      (change: OptimisticUpdate, checks: Passwords, clock: Clock) =>
        new ResetVerificationHandler(change, checks, clock),
      [OptimisticUpdate, Passwords, Clock],
    );
    bind(CheckVerificationHandler).toResolvedValue(
      (users: UserStore, clock: Clock) => new CheckVerificationHandler(users, clock, links),
      [UserStore, Clock],
    );
    bind(GetUserHandler).toResolvedValue(
      (users: UserStore, checks: Passwords) => new GetUserHandler(users, checks),
      [UserStore, Passwords],
    );
  });

/** Wires the use cases to the adapters. Everything is resolved here, once: no request asks the container. */
export const wire = (adapters: Adapters, policies: Policies): { commands: CommandBus; queries: QueryBus } => {
  const container = new Container();
  container.load(ports(adapters), useCases(policies));
  return {
    commands: new CommandBus(
      {
        CreateUser: container.get(CreateUserHandler),
        UpdateUser: container.get(UpdateUserHandler),
        DeleteUser: container.get(DeleteUserHandler),
        SendVerification: container.get(SendVerificationHandler),
        ConfirmVerification: container.get(ConfirmVerificationHandler),
        ResetVerification: container.get(ResetVerificationHandler),
      },
      policies.around,
    ),
    queries: new QueryBus(
      { GetUser: container.get(GetUserHandler), CheckVerification: container.get(CheckVerificationHandler) },
      policies.around,
    ),
  };
};
