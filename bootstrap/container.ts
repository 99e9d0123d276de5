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
import { PasswordAuthorizer, type PasswordFailure } from '../application/passwords/authorizer.ts';
import type { LoginThrottle } from '../application/passwords/login-throttle.ts';
import { NewPassword, PasswordUpdate } from '../application/passwords/new-password.ts';
import { type CheckHelpers, PasswordCheck, type PasswordOptions } from '../application/passwords/password-check.ts';
import type { AttemptCounter } from '../application/ports/attempt-counter.ts';
import { Mailer } from '../application/ports/mailer.ts';
import { PasswordHash } from '../application/ports/password-hash.ts';
import { Clock, TokenGenerator } from '../application/ports/runtime.ts';
import { type StorePorts, UserStore } from '../application/ports/user-store.ts';
import { CheckVerificationHandler } from '../application/queries/check-verification.ts';
import { GetUserHandler } from '../application/queries/get-user.ts';
import type { DomainEvents } from '../application/users/domain-events.ts';
import { OptimisticUpdate } from '../application/users/optimistic-update.ts';
import { type MailTemplate, VerificationMail } from '../application/users/verification-mail.ts';
import type { LinkPolicy } from '../application/users/verification-token.ts';
import type { UserLimits } from '../domain/user.ts';

/** The opened adapters, each bound to its port. */
export interface Adapters {
  readonly store: StorePorts;
  readonly hash: PasswordHash;
  readonly mailer: Mailer;
  /** Null where wrong passwords are not counted. */
  readonly attempts: AttemptCounter | null;
  readonly clock: Clock;
  readonly tokens: TokenGenerator;
}

/** What the use cases take from the configuration. */
export interface Policies {
  readonly passwords: PasswordOptions & { readonly hideUnknownUsers: boolean };
  readonly checkHelpers: CheckHelpers;
  /** How long a caller waits for an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Null if wrong passwords are not limited. */
  readonly throttle: LoginThrottle | null;
  readonly limits: UserLimits;
  readonly verificationOnUpdate: 'body' | 'server';
  readonly links: LinkPolicy;
  /** The minimum interval between two mails to a user; null for none. */
  readonly resendIntervalMs: number | null;
  readonly mail: MailTemplate;
  /** Null if no webhook is configured. */
  readonly events: DomainEvents | null;
  /** Wraps every message of both buses. */
  readonly interceptor: Interceptor;
}

const ports = ({ store, hash, mailer, clock, tokens }: Adapters): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(UserStore).toConstantValue(store.users);
    bind(PasswordHash).toConstantValue(hash);
    bind(Mailer).toConstantValue(mailer);
    bind(Clock).toConstantValue(clock);
    bind(TokenGenerator).toConstantValue(tokens);
  });

const useCases = (policies: Policies): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { passwords, checkHelpers, timeoutMs, throttle, limits } = policies;
    const { verificationOnUpdate, mail, links, resendIntervalMs, events } = policies;
    bind(PasswordCheck)
      .toResolvedValue(
        (hash: PasswordHash) => new PasswordCheck(hash, { ...passwords, timeoutMs }, checkHelpers),
        [PasswordHash],
      )
      .inSingletonScope();
    bind(PasswordAuthorizer).toResolvedValue(
      (check: PasswordCheck) => new PasswordAuthorizer(check, passwords.hideUnknownUsers, throttle),
      [PasswordCheck],
    );
    bind(NewPassword).toResolvedValue(
      (hash: PasswordHash) => new NewPassword(hash, passwords.serverSideHash),
      [PasswordHash],
    );
    bind(PasswordUpdate).toResolvedValue(
      (hash: PasswordHash, check: PasswordCheck, newPassword: NewPassword) =>
        new PasswordUpdate(hash, check, newPassword),
      [PasswordHash, PasswordCheck, NewPassword],
    );
    bind(OptimisticUpdate).toResolvedValue((users: UserStore) => new OptimisticUpdate(users, events), [UserStore]);
    bind(VerificationMail).toConstantValue(new VerificationMail(mail));
    bind(CreateUserHandler).toResolvedValue(
      (users: UserStore, newPassword: NewPassword, clock: Clock) =>
        new CreateUserHandler(users, newPassword, clock, limits, events),
      [UserStore, NewPassword, Clock],
    );
    bind(UpdateUserHandler).toResolvedValue(
      (updates: OptimisticUpdate, authorizer: PasswordAuthorizer, passwordUpdate: PasswordUpdate, clock: Clock) =>
        new UpdateUserHandler(updates, authorizer, passwordUpdate, clock, limits, verificationOnUpdate),
      [OptimisticUpdate, PasswordAuthorizer, PasswordUpdate, Clock],
    );
    bind(DeleteUserHandler).toResolvedValue(
      (updates: OptimisticUpdate, authorizer: PasswordAuthorizer) => new DeleteUserHandler(updates, authorizer),
      [OptimisticUpdate, PasswordAuthorizer],
    );
    bind(SendVerificationHandler).toResolvedValue(
      (
        updates: OptimisticUpdate,
        authorizer: PasswordAuthorizer,
        clock: Clock,
        tokens: TokenGenerator,
        text: VerificationMail,
        mailer: Mailer,
      ) => new SendVerificationHandler(updates, authorizer, clock, tokens, text, mailer, resendIntervalMs),
      [OptimisticUpdate, PasswordAuthorizer, Clock, TokenGenerator, VerificationMail, Mailer],
    );
    bind(ConfirmVerificationHandler).toResolvedValue(
      (updates: OptimisticUpdate, clock: Clock) => new ConfirmVerificationHandler(updates, clock, links),
      [OptimisticUpdate, Clock],
    );
    bind(ResetVerificationHandler).toResolvedValue(
      (updates: OptimisticUpdate, authorizer: PasswordAuthorizer, clock: Clock) =>
        new ResetVerificationHandler(updates, authorizer, clock),
      [OptimisticUpdate, PasswordAuthorizer, Clock],
    );
    bind(CheckVerificationHandler).toResolvedValue(
      (users: UserStore, clock: Clock) => new CheckVerificationHandler(users, clock, links),
      [UserStore, Clock],
    );
    bind(GetUserHandler).toResolvedValue(
      (users: UserStore, authorizer: PasswordAuthorizer) => new GetUserHandler(users, authorizer),
      [UserStore, PasswordAuthorizer],
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
        DeleteUser: container.get<DeleteUserHandler<PasswordFailure>>(DeleteUserHandler),
        SendVerification: container.get(SendVerificationHandler),
        ConfirmVerification: container.get(ConfirmVerificationHandler),
        ResetVerification: container.get<ResetVerificationHandler<PasswordFailure>>(ResetVerificationHandler),
      },
      policies.interceptor,
    ),
    queries: new QueryBus(
      {
        GetUser: container.get<GetUserHandler<PasswordFailure>>(GetUserHandler),
        CheckVerification: container.get(CheckVerificationHandler),
      },
      policies.interceptor,
    ),
  };
};
