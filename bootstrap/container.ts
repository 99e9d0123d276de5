import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Container, ContainerModule } from 'inversify';
import { changedMembers } from '../adapters/kit/exact-json.ts';
import { userLimits } from '../adapters/kit/user-json/user-codecs.ts';
import { CreateUserHandler, NewUsers, UserInsertion } from '../application/accounts/create-user.ts';
import { DeleteUserHandler } from '../application/accounts/delete-user.ts';
import { GetUserHandler } from '../application/accounts/get-user.ts';
import { PatchUserHandler } from '../application/accounts/patch-user.ts';
import { UpdateUserHandler, UserEditor } from '../application/accounts/update-user.ts';
import { CommandBus, type Commands, type Handlers, type Queries, QueryBus } from '../application/bus.ts';
import type { Interceptor } from '../application/interceptor.ts';
import type { DeliverySignal } from '../application/outgoing/delivery-signal.ts';
import { DomainEvents } from '../application/outgoing/domain-events.ts';
import { MailQueue } from '../application/outgoing/mail-queue.ts';
import { PasswordAuthorizer } from '../application/passwords/authorizer.ts';
import { type CheckHelpers, PasswordCheck } from '../application/passwords/password-check.ts';
import { PasswordUpdate } from '../application/passwords/password-update.ts';
import type { AttemptCounters } from '../application/ports/attempt-counter.ts';
import { Clock } from '../application/ports/clock.ts';
import { Mailer } from '../application/ports/mailer.ts';
import { PasswordHash } from '../application/ports/password-hash.ts';
import {
  CheckVerificationHandler,
  ConfirmVerificationHandler,
} from '../application/verification/confirm-verification.ts';
import { ResetVerificationHandler } from '../application/verification/reset-verification.ts';
import { SendVerificationHandler } from '../application/verification/send-verification.ts';
import { VerificationMailing } from '../application/verification/verification-mailing.ts';
import { OptimisticUpdate } from '../application/writing/optimistic-update.ts';
import { SettlingStore } from '../application/writing/settling-store.ts';
import { type UserLimits, withUnique } from '../domain/user-limits.ts';
import type { Configuration } from './configuration/index.ts';
import { type Feature, noCollaborators, type Services } from './features/feature.ts';
import type { Adapters } from './service/adapters.ts';

/**
 * What the configuration decides for the use cases: the options of whole blocks, under their names. A handler declares
 * the options that it needs, so that a new one changes only its block and its handler.
 */
type Policies = Configuration['passwordHash'] &
  Configuration['privacy'] &
  Configuration['verification'] & {
    readonly limits: UserLimits;
    /** Of a whole operation. */
    readonly timeoutMs: number;
  };

export const policiesOf = (configuration: Configuration): Policies => {
  const { headerSafe, headerCheck } = configuration.passwordHash;
  return {
    ...configuration.passwordHash,
    ...configuration.privacy,
    ...configuration.verification,
    timeoutMs: configuration.operationTimeoutMs,
    limits: userLimits(configuration.properties, headerSafe && headerCheck),
  };
};

/** The members of `first`, or those of the last of `others` that has them. */
const merged = <T>(first: T, others: readonly (Partial<T> | undefined)[]): T => {
  let all = first;
  for (const other of others) all = { ...all, ...other };
  return all;
};

/** The ports, and what the handlers of all buses share. */
const sharedServices = (policies: Policies, features: readonly Feature[], services: Services): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { hash, mailer, clock } = services.adapters;
    const { events, limits, throttle, passwordRules, mails, mailQueue, verification } = services;
    bind(PasswordHash).toConstantValue(hash);
    bind(Mailer).toConstantValue(mailer);
    bind(Clock).toConstantValue(clock);
    bind(OptimisticUpdate).toDynamicValue(({ get }) => {
      const notices = features.flatMap((feature) => feature.notices?.(services) ?? []);
      return new OptimisticUpdate(get(SettlingStore), limits, events, notices);
    });
    bind(UserInsertion).toDynamicValue(
      ({ get }) => new UserInsertion(get(SettlingStore), limits, events, services.namesMailboxes),
    );
    bind(PasswordCheck).toDynamicValue(({ get }) => {
      const helpers = features.map((feature) => feature.checkHelpers?.(services));
      return new PasswordCheck(get(PasswordHash), policies, merged<CheckHelpers>({}, helpers));
    });
    bind(PasswordAuthorizer).toDynamicValue(
      ({ get }) => new PasswordAuthorizer(get(PasswordCheck), policies, throttle, get(Clock)),
    );
    bind(PasswordUpdate).toDynamicValue(
      ({ get }) => new PasswordUpdate(get(PasswordHash), get(PasswordCheck), policies, passwordRules, limits),
    );
    bind(VerificationMailing).toDynamicValue(({ get }) => {
      const ofVerification = { ...mails, ...verification, queue: policies.queue ? mailQueue : undefined };
      return new VerificationMailing(get(OptimisticUpdate), clock, ofVerification, mailer, policies);
    });
  });

/** The commands of callers, who are authorized by the password of the user or by a token. */
const commandsOf = (policies: Policies, features: readonly Feature[], services: Services): Handlers<Commands> => {
  const { get, newUserId, signUpRules, verification } = services;
  const { limits } = policies;
  const [users, updates] = [get(SettlingStore), get(OptimisticUpdate)];
  const [authorizer, passwords, clock] = [get(PasswordAuthorizer), get(PasswordUpdate), get(Clock)];
  const [moves] = features.flatMap((feature) => feature.addressMoves?.(services) ?? []);
  const editor = new UserEditor(
    updates,
    authorizer,
    passwords,
    clock,
    limits,
    policies,
    moves,
    newUserId !== undefined,
  );
  return {
    CreateUser: new CreateUserHandler(
      users,
      new NewUsers(passwords, clock, limits, newUserId, signUpRules),
      get(UserInsertion),
    ),
    UpdateUser: new UpdateUserHandler(editor, limits),
    PatchUser: new PatchUserHandler(editor, limits),
    DeleteUser: new DeleteUserHandler(updates, authorizer),
    SendVerification: new SendVerificationHandler(updates, authorizer, get(VerificationMailing)),
    ConfirmVerification: new ConfirmVerificationHandler(updates, clock, policies, verification),
    ResetVerification: new ResetVerificationHandler(updates, authorizer, clock),
  };
};

const queriesOf = (policies: Policies, services: Services): Handlers<Queries> => {
  const { get, throttle, verification } = services;
  const users = get(SettlingStore);
  // A password in a body is checked even if those in headers are not.
  const ofBodies = { ...policies, headerCheck: true };
  const bodyAuthorizer = new PasswordAuthorizer(get(PasswordCheck), ofBodies, throttle, get(Clock));
  return {
    GetUser: new GetUserHandler(users, get(PasswordAuthorizer)),
    CheckPassword: new GetUserHandler(users, bodyAuthorizer),
    CheckVerification: new CheckVerificationHandler(users, get(Clock), policies, verification.tokens),
  };
};

/**
 * Wires the use cases to the adapters and features. The container creates a bus and its handlers when the bus is first
 * resolved; no request uses the container. `interceptor` wraps every message of every bus. `signal` is that of the
 * process if it delivers events.
 */
export const wire = (
  adapters: Adapters,
  given: Policies,
  features: readonly Feature[],
  interceptor: Interceptor = (_operation, next) => next(),
  signal?: DeliverySignal,
): Services => {
  const container = new Container({ defaultScope: 'Singleton' });
  const subscriptions = features.flatMap((feature) => feature.subscriptions ?? []);
  const all = merged(
    noCollaborators(adapters),
    features.map((feature) => feature.collaborators),
  );
  const policies = { ...given, limits: withUnique(given.limits, all.unique) };
  const services: Services = {
    ...all,
    events: new DomainEvents(subscriptions, adapters.clock, randomUUID, changedMembers),
    mailQueue: new MailQueue(adapters.clock, randomUUID),
    counters: merged<AttemptCounters>(
      { passwords: undefined, tokens: undefined, codes: undefined },
      features.map(({ counters }) => counters),
    ),
    adapters,
    limits: policies.limits,
    get: container.get.bind(container),
  };
  const handlersOf = <H>(core: H, of: (feature: Feature) => Partial<H> | undefined): H =>
    merged(core, features.map(of));
  container.load(
    sharedServices(policies, features, services),
    new ContainerModule(({ bind }) => {
      const store = new SettlingStore(adapters.store, all.unique, policies.timeoutMs, signal);
      bind(SettlingStore).toConstantValue(store);
      bind(CommandBus).toDynamicValue(() => {
        const handlers = handlersOf(commandsOf(policies, features, services), (feature) =>
          feature.commands?.(services),
        );
        return new CommandBus(handlers, interceptor);
      });
      bind(QueryBus).toDynamicValue(() => {
        const handlers = handlersOf(queriesOf(policies, services), (feature) => feature.queries?.(services));
        return new QueryBus(handlers, interceptor);
      });
    }),
  );
  return services;
};
