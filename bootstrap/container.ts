import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import { verificationLink } from '../adapters/http/paths.ts';
import { CheckPasswordHandler } from '../application/accounts/check-password.ts';
import { CreateUserHandler } from '../application/accounts/create-user.ts';
import { DeleteUserHandler } from '../application/accounts/delete-user.ts';
import { GetUserHandler } from '../application/accounts/get-user.ts';
import { PatchUserHandler } from '../application/accounts/patch-user.ts';
import { UpdateUserHandler } from '../application/accounts/update-user.ts';
import { UserEditor } from '../application/accounts/user-editor.ts';
import type { AddressChanges } from '../application/address-moves/address-moves.ts';
import { CommandBus, QueryBus } from '../application/bus.ts';
import type { Interceptor } from '../application/interceptor.ts';
import type { DeliverySignal } from '../application/outgoing/delivery-signal.ts';
import type { DomainEvents } from '../application/outgoing/domain-events.ts';
import type { MailQueue } from '../application/outgoing/mail-queue.ts';
import { PasswordAuthorizer } from '../application/passwords/authorizer.ts';
import type { LoginThrottle } from '../application/passwords/login-throttle.ts';
import { type CheckHelpers, PasswordCheck } from '../application/passwords/password-check.ts';
import type { PasswordRules } from '../application/passwords/password-rules.ts';
import { PasswordUpdate } from '../application/passwords/password-update.ts';
import { Clock } from '../application/ports/clock.ts';
import { Mailer } from '../application/ports/mailer.ts';
import { PasswordHash } from '../application/ports/password-hash.ts';
import { TokenGenerator } from '../application/ports/token-generator.ts';
import { UserStore } from '../application/ports/user-store.ts';
import { CheckVerificationHandler } from '../application/verification/check-verification.ts';
import { ConfirmVerificationHandler } from '../application/verification/confirm-verification.ts';
import { ResetVerificationHandler } from '../application/verification/reset-verification.ts';
import { SendVerificationHandler } from '../application/verification/send-verification.ts';
import { OptimisticUpdate } from '../application/writing/optimistic-update.ts';
import { SettlingStore } from '../application/writing/settling-store.ts';
import { administrationBus } from './wiring/administration-bus.ts';
import type { Mails } from './wiring/mail-texts.ts';
import type { Adapters } from './wiring/open-adapters.ts';
import type { Policies } from './wiring/use-case-policies.ts';

/** What a process adds to the use cases, according to its task. */
export interface Collaborators {
  readonly events: DomainEvents;
  /** Tells the delivery of this process about stored events; undefined if it delivers none. */
  readonly delivery?: DeliverySignal | undefined;
  /** Wraps every message of every bus. */
  readonly interceptor: Interceptor;
  /** Opens the helpers of password checks; null for none. */
  readonly checkHelpers: ((updates: OptimisticUpdate) => CheckHelpers) | null;
  /** Null if wrong passwords are not limited. */
  readonly throttle: LoginThrottle | null;
  /** The rules of new passwords; null without any. */
  readonly passwordRules: PasswordRules | null;
  /** Null unless mails are stored before they are sent. */
  readonly mailQueue: MailQueue | null;
  /** The texts of mails; `withoutMails` if none are sent. */
  readonly mails: Mails;
  /** Null if a new address needs no confirmation. */
  readonly addressChanges: AddressChanges | null;
}

/** The ports, and what the handlers of all buses share. */
const sharedServices = (
  { store, hash, mailer, clock, tokens }: Adapters,
  policies: Policies,
  { checkHelpers, throttle, passwordRules, events, delivery }: Collaborators,
): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(UserStore).toConstantValue(store.users);
    bind(SettlingStore).toConstantValue(new SettlingStore(store.users, clock, policies.timeoutMs, delivery));
    bind(PasswordHash).toConstantValue(hash);
    bind(Mailer).toConstantValue(mailer);
    bind(Clock).toConstantValue(clock);
    bind(TokenGenerator).toConstantValue(tokens);
    bind(OptimisticUpdate).toDynamicValue(({ get }) => new OptimisticUpdate(get(SettlingStore), events));
    bind(PasswordCheck).toDynamicValue(
      ({ get }) => new PasswordCheck(get(PasswordHash), policies, checkHelpers?.(get(OptimisticUpdate))),
    );
    bind(PasswordAuthorizer).toDynamicValue(
      ({ get }) => new PasswordAuthorizer(get(PasswordCheck), policies, throttle, get(Clock)),
    );
    bind(PasswordUpdate).toDynamicValue(
      ({ get }) => new PasswordUpdate(get(PasswordHash), get(PasswordCheck), policies, passwordRules, policies.limits),
    );
  });

/** The buses of the public port: callers are authorized by the password of the user. */
const publicBuses = (
  policies: Policies,
  { events, interceptor, passwordRules, throttle, mails, mailQueue, addressChanges }: Collaborators,
): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { limits } = policies;
    bind(CommandBus).toDynamicValue(({ get }) => {
      const [users, updates] = [get(SettlingStore), get(OptimisticUpdate)];
      const [authorizer, hash, clock] = [get(PasswordAuthorizer), get(PasswordHash), get(Clock)];
      const [tokens, mailer] = [get(TokenGenerator), get(Mailer)];
      const editor = new UserEditor(updates, authorizer, get(PasswordUpdate), clock, limits, policies, addressChanges);
      const queue = policies.queue ? mailQueue : null;
      const verificationMails = { ...mails, linkOf: verificationLink, queue };
      return new CommandBus(
        {
          CreateUser: new CreateUserHandler(users, hash, clock, limits, policies, passwordRules, events),
          UpdateUser: new UpdateUserHandler(editor, limits),
          PatchUser: new PatchUserHandler(editor, limits),
          DeleteUser: new DeleteUserHandler(updates, authorizer),
          SendVerification: new SendVerificationHandler(
            updates,
            authorizer,
            clock,
            tokens,
            verificationMails,
            mailer,
            policies,
          ),
          ConfirmVerification: new ConfirmVerificationHandler(updates, clock, policies),
          ResetVerification: new ResetVerificationHandler(updates, authorizer, clock),
        },
        interceptor,
      );
    });
    bind(QueryBus).toDynamicValue(({ get }) => {
      const users = get(SettlingStore);
      // A password in a body is checked even if those in headers are not.
      const ofBodies = { ...policies, headerCheck: true };
      const bodyAuthorizer = new PasswordAuthorizer(get(PasswordCheck), ofBodies, throttle, get(Clock));
      return new QueryBus(
        {
          GetUser: new GetUserHandler(users, get(PasswordAuthorizer)),
          CheckPassword: new CheckPasswordHandler(users, bodyAuthorizer),
          CheckVerification: new CheckVerificationHandler(users, get(Clock), policies),
        },
        interceptor,
      );
    });
  });

/**
 * Wires the use cases to the adapters. The container creates a bus and its handlers when the bus is first resolved; no
 * request uses the container.
 */
export const wire = (adapters: Adapters, policies: Policies, collaborators: Collaborators): Container => {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(
    sharedServices(adapters, policies, collaborators),
    publicBuses(policies, collaborators),
    administrationBus(adapters, policies, collaborators),
  );
  return container;
};
