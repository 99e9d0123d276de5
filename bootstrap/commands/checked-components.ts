import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AdapterContext, MissingDatabase, type OpenAdapter } from '../../adapters/kit/definition.ts';
import { canCreate } from '../../adapters/kit/file-creation.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { Fault } from '../../application/fault.ts';
import type { Component } from '../../application/health.ts';
import { mailDestination } from '../../application/outgoing/mail-queue.ts';
import { noticeLimits } from '../../application/outgoing/notice-limit.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { recoveryDestination } from '../../application/recovery/request-recovery.ts';
import { signUpDestination } from '../../application/sign-up/request-sign-up.ts';
import { countUnverified } from '../../application/unverified/unverified-users.ts';
import type { UnverifiedPolicy } from '../../domain/unverified.ts';
import { moduleType } from '../configuration/adapter-block.ts';
import type { Configuration } from '../configuration/index.ts';
import { hashMemoryLimitKiB } from '../configuration/password-algorithms.ts';
import { type Events, noOutbox, noWebhooks } from '../features/events-block.ts';
import { queuesMails } from '../features/index.ts';
import { namingOf, withoutNames } from '../features/names-block.ts';
import { tokenLimits } from '../features/recovery-block.ts';
import { signUpLimits } from '../features/sign-up-block.ts';
import { unverifiedPolicyOf, withoutCleanup } from '../features/users-block.ts';
import { checkDatabase } from '../service/adapters.ts';
import type { Authentication } from '../service/authentication.ts';

/** The highest number of waiting events that is counted. */
const maxCountedEvents = 10_000;

interface Checkable {
  check(secret?: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens an adapter, checks it and closes it. `secret` names a secret that a secrets provider must be able to read. */
const componentOf = (
  name: string,
  open: OpenAdapter<Checkable>,
  context: AdapterContext,
  secret?: string,
): Component => ({
  name,
  check: async () => {
    const adapter = await open(context);
    try {
      return await adapter.check(secret);
    } finally {
      await adapter.close();
    }
  },
});

/** What to print about a file or database that does not exist. Throws a Fault if the service cannot create it. */
const willBeCreated = (path: string, canBeCreated: boolean): string => {
  if (canBeCreated) return `${path} does not exist yet; the service creates it`;
  throw new Fault('store_rejected', `${path} does not exist, and this user may not create it`);
};

/** Rethrows any error but that of a database that does not exist. */
const describeMissing = (error: unknown): string => {
  if (!(error instanceof MissingDatabase)) throw error;
  return willBeCreated(error.path, error.canBeCreated);
};

/** Opens a store without changing its database; a database that the service will create counts as healthy. */
const withoutChanges =
  (open: OpenAdapter<Checkable>): OpenAdapter<Checkable> =>
  async (context) => {
    try {
      const opened = await open({ ...context, readOnly: true });
      return { check: () => opened.check().catch(describeMissing), close: () => opened.close() };
    } catch (error) {
      const line = describeMissing(error);
      return { check: async () => line, close: async () => undefined };
    }
  };

/** Opens the database without changing it, for a check of what is stored in it. */
const storeWith = (
  { database }: Configuration,
  check: (store: StorePorts, type: string) => Promise<string>,
): OpenAdapter<Checkable> =>
  withoutChanges(async (context) => {
    const store = await database.open(context);
    return { check: () => check(store, database.type), close: () => store.users.close() };
  });

/** Counts the mails or requests of a destination that wait. */
const countQueued =
  (destination: string) =>
  async ({ events }: StorePorts, type: string): Promise<string> => {
    if (events === undefined)
      throw new Fault('store_rejected', `the database of type ${type} cannot store mails; use another one`);
    return `${await events.pending(destination, maxCountedEvents)} waiting`;
  };

/** Bounds a count of users: a check has three seconds. */
const countingMs = 2_000;

/** Counts the users whose time to verify an address is over, and deletes none. */
const countOverdue =
  (policy: UnverifiedPolicy) =>
  async ({ listing, events }: StorePorts, type: string): Promise<string> => {
    if (listing === undefined || events === undefined) throw new Fault('store_rejected', withoutCleanup(type));
    const { count, isExact } = await countUnverified(listing, policy, systemClock.now(), countingMs);
    return `${isExact ? '' : 'at least '}${count} would be deleted now`;
  };

/** Counts the events that wait for each webhook, and delivers none. */
const countEvents =
  ({ webhooks }: Events) =>
  async ({ events }: StorePorts, type: string): Promise<string> => {
    if (events === undefined) throw new Fault('store_rejected', noOutbox(type));
    const lines = webhooks.map(async ({ url, destination }) => {
      const count = await events.pending(destination, maxCountedEvents);
      return `${new URL(url).host}, ${count} waiting`;
    });
    return lines.length === 0 ? noWebhooks : (await Promise.all(lines)).join('; ');
  };

/** The database, and the counter of wrong passwords if they are counted. */
const openDatabase =
  (configuration: Configuration): OpenAdapter<Checkable> =>
  async (context) => {
    const { database, throttle, recovery, signUp, notices, server } = configuration;
    const naming = namingOf(configuration);
    const store = await database.open({ ...context, keepsNames: naming !== undefined, workers: server.workers });
    if (naming !== undefined && store.names === undefined) {
      await store.users.close();
      throw new Fault('store_rejected', `${naming.path}: ${withoutNames(database.type)}`);
    }
    const limits =
      throttle?.limits ??
      (recovery && tokenLimits(recovery)) ??
      (signUp && signUpLimits(signUp)) ??
      (notices.length > 0 ? noticeLimits : null);
    const attempts = limits && (await store.attempts?.(limits));
    return {
      check: () => checkDatabase(store.users.check(), attempts ? [() => attempts.check()] : []),
      close: async () => {
        await attempts?.close();
        await store.users.close();
      },
    };
  };

const probe = 'correct horse';

/** An algorithm of another package, which may only fail when it makes or verifies a hash. */
const hashComponent = (configuration: Configuration, context: AdapterContext): Component => ({
  name: `password hash (${configuration.passwordHash.algorithm})`,
  check: async () => {
    const hashMemoryKiB = hashMemoryLimitKiB(configuration);
    const hash = await configuration.passwordHash.open({ ...context, hashMemoryKiB });
    const stored = await hash.hash(probe);
    if (!(await hash.verify(stored, probe)) || (await hash.verify(stored, `${probe} battery`)))
      throw new Fault('store_rejected', 'a new hash does not match its password, or also another one');
    return 'a new hash matches its password';
  },
});

const auditComponent = (file: string): Component => ({
  name: 'audit',
  check: async () => {
    const path = resolve(file);
    if (!existsSync(path)) return willBeCreated(path, canCreate(path));
    return (await import('../features/audit-feature.ts')).checkAuditFile(path);
  },
});

/** What the check looks at, in the order of its lines. Each is opened for its check, and changes nothing. */
export const componentsOf = (
  configuration: Configuration,
  authentication: Authentication,
  context: AdapterContext,
): readonly Component[] => {
  const { secrets, database, passwordHash, email, events, recovery, signUp, audit } = configuration;
  const unverified = unverifiedPolicyOf(configuration);
  const inStore = (name: string, check: Parameters<typeof storeWith>[1]): Component =>
    componentOf(name, storeWith(configuration, check), context);
  return [
    componentOf(`secrets (${secrets.provider})`, secrets.open, context, secrets.named[0]),
    componentOf(`database (${database.type})`, withoutChanges(openDatabase(configuration)), context),
    ...(passwordHash.algorithm === moduleType ? [hashComponent(configuration, context)] : []),
    ...(email === undefined ? [] : [componentOf(`email (${email.type})`, email.open, { ...context, readOnly: true })]),
    ...(events === undefined ? [] : [inStore('events', countEvents(events))]),
    ...(queuesMails(configuration) ? [inStore('mails', countQueued(mailDestination))] : []),
    ...(signUp?.quiet ? [inStore('sign-up', countQueued(signUpDestination))] : []),
    ...(recovery?.deliver === 'mail' ? [inStore('recovery', countQueued(recoveryDestination))] : []),
    ...(unverified === undefined ? [] : [inStore('unverified users', countOverdue(unverified))]),
    ...(audit?.to === 'file' ? [auditComponent(audit.file)] : []),
    ...authentication.components,
  ];
};
