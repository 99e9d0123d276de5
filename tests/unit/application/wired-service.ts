import { userLimits } from '../../../adapters/kit/user-json/user-codecs.ts';
import { asProperties } from '../../../adapters/kit/user-json/user-writer.ts';
import { sha256 } from '../../../adapters/password-hashes/sha256.ts';
import { CommandBus, QueryBus } from '../../../application/bus.ts';
import type { Interceptor } from '../../../application/interceptor.ts';
import type { MailTexts } from '../../../application/outgoing/mail-queue.ts';
import { PasswordAuthorizer } from '../../../application/passwords/authorizer.ts';
import {
  type CheckHelpers,
  PasswordCheck,
  type PasswordOptions,
} from '../../../application/passwords/password-check.ts';
import type { PasswordRules } from '../../../application/passwords/password-rules.ts';
import { PasswordUpdate } from '../../../application/passwords/password-update.ts';
import { type AttemptThrottle, unlimited } from '../../../application/ports/attempt-counter.ts';
import type { PasswordHash } from '../../../application/ports/password-hash.ts';
import { policiesOf, wire } from '../../../bootstrap/container.ts';
import { administrationFeature } from '../../../bootstrap/features/administration-feature.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { type User, UserId } from '../../../domain/user.ts';
import type { PropertyRules } from '../../../domain/user-limits.ts';
import type { UniqueProperty } from '../../../domain/user-name.ts';
import { addressOf } from '../../../sdk/contract/arbitraries.ts';
import { InterruptedUserStore } from '../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../support/doubles/manual-clock.ts';
import { RecordingMailer } from '../../support/doubles/recording-mailer.ts';
import { sequentialTokens } from '../../support/doubles/sequential-tokens.ts';
import { silentContext } from '../../support/doubles/silent-context.ts';
import { configured, database } from '../bootstrap/configuration/read-configuration.ts';

/** The address of the one user that most tests are about, and its key. */
export const jane = addressOf('Jane@example.com');
export const janeKey = keyOf(jane);

/** The configuration of passwords. */
export type PasswordPolicy = PasswordOptions & { readonly hideUnknownUsers: boolean };

/** The defaults of docs/configuration.md, except that passwords are hashed: a test then sees which form it got. */
export const usualPolicy: PasswordPolicy = {
  headerCheck: true,
  serverSideHash: true,
  allowCommonMistakes: false,
  hideUnknownUsers: false,
};

export interface ServiceOptions {
  readonly store?: InterruptedUserStore;
  readonly policy?: Partial<PasswordPolicy>;
  readonly rules?: PropertyRules;
  readonly hash?: PasswordHash;
  readonly passwordRules?: PasswordRules;
  readonly verificationOnUpdate?: 'body' | 'server';
  readonly tokenLifetime?: number;
  readonly resendInterval?: number;
  /** The operation timeout; none by default. */
  readonly timeoutMs?: number;
  /** The ids of new users, one after the other; without them, users have no ids. */
  readonly newIds?: readonly string[];
  readonly unique?: readonly UniqueProperty[];
  readonly namesMailboxes?: boolean;
  /** Wraps every message. */
  readonly interceptor?: Interceptor;
}

/** So that a new option needs no change here. */
const defaults = policiesOf(await configured(database));

/** Mails that consist of their link or code. */
const plainTexts: MailTexts = {
  compose: ({ to, secret }) => ({ to, subject: 'Hello', text: secret, html: secret }),
};

/** Returns the ids one by one. */
const idsOf = (ids: readonly string[]) => {
  const left = [...ids];
  return (): UserId => {
    const id = left.shift();
    if (UserId.is(id)) return id;
    throw new Error('the test needs more ids');
  };
};

/** The container of the service, with the doubles of tests bound to the ports. */
const wireUseCases = (
  store: InterruptedUserStore,
  hash: PasswordHash,
  options: ServiceOptions,
  checkHelpers: CheckHelpers = {},
  throttle: AttemptThrottle = unlimited,
  clock = new ManualClock(1_800_000_000_000),
  mailer = new RecordingMailer(),
) => {
  return wire(
    {
      store: store.ports,
      hash,
      mailer,
      clock,
      newToken: sequentialTokens(),
      log: silentContext.log,
    },
    {
      ...defaults,
      ...usualPolicy,
      ...options.policy,
      timeoutMs: options.timeoutMs ?? Number.POSITIVE_INFINITY,
      limits: userLimits(options.rules),
      verificationOnUpdate: options.verificationOnUpdate ?? 'body',
      tokenLifetimeMs: options.tokenLifetime ?? null,
      resendIntervalMs: options.resendInterval ?? null,
    },
    [
      administrationFeature,
      {
        checkHelpers: () => checkHelpers,
        collaborators: {
          throttle,
          mails: { texts: plainTexts, localeOf: () => 'en' },
          ...(options.newIds !== undefined && { newUserId: idsOf(options.newIds) }),
          ...(options.unique !== undefined && { unique: options.unique }),
          ...(options.namesMailboxes !== undefined && { namesMailboxes: options.namesMailboxes }),
          ...(options.passwordRules !== undefined && { passwordRules: options.passwordRules }),
        },
      },
    ],
    options.interceptor,
  );
};

/** The services for passwords, wired as the service wires them. */
export const passwordServices = (
  hash: PasswordHash,
  policy: PasswordPolicy,
  helpers: CheckHelpers = {},
  throttle: AttemptThrottle = unlimited,
) => {
  const container = wireUseCases(new InterruptedUserStore(), hash, { policy }, helpers, throttle);
  return {
    check: container.get(PasswordCheck),
    authorizer: container.get(PasswordAuthorizer),
    passwordUpdate: container.get(PasswordUpdate),
  };
};

/** The use cases over a store in memory, wired as in the service. */
export const openService = async (options: ServiceOptions = {}) => {
  const store = options.store ?? new InterruptedUserStore();
  const clock = new ManualClock(1_800_000_000_000);
  const mailer = new RecordingMailer();
  const hash = options.hash ?? (await sha256.open({}, silentContext));
  const container = wireUseCases(store, hash, options, {}, unlimited, clock, mailer);
  return {
    store,
    clock,
    mailer,
    hash,
    get: container.get,
    commands: container.get(CommandBus),
    queries: container.get(QueryBus),
  };
};

export type Service = Awaited<ReturnType<typeof openService>>;

/** Stores Jane with the password `secret` and the given changes, and returns her as she is stored. */
export const withJane = async ({ store, hash }: Service, changes: Partial<User> = {}): Promise<User> => {
  const user: User = {
    email: { address: jane, verification: { verified: false, token: null } },
    password: await hash.hash('secret'),
    creationTime: 1_700_000_000_000,
    lastUpdateTime: 1_700_000_000_000,
    properties: asProperties('{"name":"Jane"}'),
    ...changes,
  };
  await store.insert(user);
  return user;
};
