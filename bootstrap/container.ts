import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import type { Announcements } from '../application/announcements.ts';
import { CommandBus, QueryBus } from '../application/buses.ts';
import { UserChange } from '../application/change.ts';
import { ConfirmVerificationHandler } from '../application/commands/confirm-verification.ts';
import { CreateUserHandler } from '../application/commands/create-user.ts';
import { DeleteUserHandler } from '../application/commands/delete-user.ts';
import { ResetVerificationHandler } from '../application/commands/reset-verification.ts';
import { SendVerificationHandler } from '../application/commands/send-verification.ts';
import { UpdateUserHandler } from '../application/commands/update-user.ts';
import type { CheckAids } from '../application/password-check.ts';
import { type PasswordPolicy, Passwords } from '../application/passwords.ts';
import type { Around } from '../application/ports/around.ts';
import { Clock } from '../application/ports/clock.ts';
import type { FailedAttempts } from '../application/ports/failed-attempts.ts';
import { Mailer } from '../application/ports/mailer.ts';
import { PasswordHash } from '../application/ports/password-hash.ts';
import { Tokens } from '../application/ports/tokens.ts';
import { UserStore } from '../application/ports/user-store.ts';
import { CheckVerificationHandler } from '../application/queries/check-verification.ts';
import { GetUserHandler } from '../application/queries/get-user.ts';
import type { Throttle } from '../application/throttle.ts';
import type { LinkRules } from '../application/token-gate.ts';
import { type MailTemplate, VerificationMail } from '../application/verification-mail.ts';
import type { PropertyRules } from '../domain/properties.ts';

/** The opened adapters, each bound to its port. */
export interface Adapters {
  readonly store: UserStore;
  readonly hash: PasswordHash;
  readonly mailer: Mailer;
  /** Null where wrong passwords are not counted. */
  readonly attempts: FailedAttempts | null;
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
  readonly throttle: Throttle | undefined;
  readonly properties: PropertyRules | null;
  readonly verificationOnUpdate: 'body' | 'server';
  readonly links: LinkRules;
  /** How many milliseconds there are between two mails to a user at least; null lets all pass. */
  readonly resendInterval: number | null;
  readonly mail: MailTemplate;
  readonly announcements: Announcements;
  /** Wraps every message of both buses. */
  readonly around: Around;
}

const ports = ({ store, hash, mailer, clock, tokens }: Adapters): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(UserStore).toConstantValue(store);
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
    bind(UserChange).toResolvedValue((users: UserStore) => new UserChange(users, announcements), [UserStore]);
    bind(VerificationMail).toConstantValue(new VerificationMail(mail));
    bind(CreateUserHandler).toResolvedValue(
      (users: UserStore, checks: Passwords, clock: Clock) =>
        new CreateUserHandler(users, checks, clock, properties, announcements),
      [UserStore, Passwords, Clock],
    );
    bind(UpdateUserHandler).toResolvedValue(
      (change: UserChange, checks: Passwords, clock: Clock) =>
        new UpdateUserHandler(change, checks, clock, properties, verificationOnUpdate),
      [UserChange, Passwords, Clock],
    );
    bind(DeleteUserHandler).toResolvedValue(
      (change: UserChange, checks: Passwords) => new DeleteUserHandler(change, checks),
      [UserChange, Passwords],
    );
    bind(SendVerificationHandler).toResolvedValue(
      (change: UserChange, checks: Passwords, clock: Clock, tokens: Tokens, text: VerificationMail, mailer: Mailer) =>
        new SendVerificationHandler(change, checks, clock, tokens, text, mailer, resendInterval),
      [UserChange, Passwords, Clock, Tokens, VerificationMail, Mailer],
    );
    bind(ConfirmVerificationHandler).toResolvedValue(
      (change: UserChange, clock: Clock) => new ConfirmVerificationHandler(change, clock, links),
      [UserChange, Clock],
    );
    bind(ResetVerificationHandler).toResolvedValue(
      (change: UserChange, checks: Passwords, clock: Clock) => new ResetVerificationHandler(change, checks, clock),
      [UserChange, Passwords, Clock],
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
