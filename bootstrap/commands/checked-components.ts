import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AdapterContext, MissingDatabase, type OpenAdapter } from '../../adapters/kit/definition.ts';
import { canCreate } from '../../adapters/kit/file-creation.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { Fault } from '../../application/fault.ts';
import type { Component } from '../../application/health.ts';
import { mailDestination } from '../../application/outgoing/mail-queue.ts';
import { noticeLimits } from '../../application/outgoing/notice-limit.ts';
import { recoveryDestination } from '../../application/recovery/request-recovery.ts';
import { signUpDestination } from '../../application/sign-up/request-sign-up.ts';
import { countUnverified } from '../../application/unverified/unverified-users.ts';
import type { UnverifiedPolicy } from '../../domain/unverified.ts';
import type { Configuration } from '../configuration/index.ts';
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

/** The queued mails or requests of a destination; the check counts those that wait, and changes nothing. */
const openQueue =
  ({ database }: Configuration, destination: string): OpenAdapter<Checkable> =>
  async (context) => {
    const { users, events } = await database.open(context);
    const check = async (): Promise<string> => {
      if (events === undefined)
        throw new Fault('store_rejected', `the database of type ${database.type} cannot store mails; use another one`);
      return `${await events.pending(destination, maxCountedEvents)} waiting`;
    };
    return { check, close: () => users.close() };
  };

/** Bounds a count of users: a check has three seconds. */
const countingMs = 2_000;

/** The users whose time to verify an address is over; the check counts them, and deletes none. */
const openUnverified =
  ({ database }: Configuration, policy: UnverifiedPolicy): OpenAdapter<Checkable> =>
  async (context) => {
    const { users, listing, events } = await database.open(context);
    const check = async (): Promise<string> => {
      if (listing === undefined || events === undefined)
        throw new Fault('store_rejected', withoutCleanup(database.type));
      const { count, isExact } = await countUnverified(listing, policy, systemClock.now(), countingMs);
      return `${isExact ? '' : 'at least '}${count} would be deleted now`;
    };
    return { check, close: () => users.close() };
  };

/** The event outbox; its check counts the events that wait for each webhook, and delivers none. */
const openOutbox =
  ({ database }: Configuration, { webhooks }: Events): OpenAdapter<Checkable> =>
  async (context) => {
    const { users, events } = await database.open(context);
    const check = async (): Promise<string> => {
      if (events === undefined) throw new Fault('store_rejected', noOutbox(database.type));
      const lines = webhooks.map(async ({ url, destination }) => {
        const count = await events.pending(destination, maxCountedEvents);
        return `${new URL(url).host}, ${count} waiting`;
      });
      return lines.length === 0 ? noWebhooks : (await Promise.all(lines)).join('; ');
    };
    return { check, close: () => users.close() };
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
  const { secrets, database, email, events, recovery, signUp, audit } = configuration;
  const unverified = unverifiedPolicyOf(configuration);
  const queue = (name: string, destination: string): Component =>
    componentOf(name, withoutChanges(openQueue(configuration, destination)), context);
  return [
    componentOf(`secrets (${secrets.provider})`, secrets.open, context, secrets.named[0]),
    componentOf(`database (${database.type})`, withoutChanges(openDatabase(configuration)), context),
    ...(email === undefined ? [] : [componentOf(`email (${email.type})`, email.open, { ...context, readOnly: true })]),
    ...(events === undefined
      ? []
      : [componentOf('events', withoutChanges(openOutbox(configuration, events)), context)]),
    ...(queuesMails(configuration) ? [queue('mails', mailDestination)] : []),
    ...(signUp?.quiet ? [queue('sign-up', signUpDestination)] : []),
    ...(recovery?.deliver === 'mail' ? [queue('recovery', recoveryDestination)] : []),
    ...(unverified === undefined
      ? []
      : [componentOf('unverified users', withoutChanges(openUnverified(configuration, unverified)), context)]),
    ...(audit?.to === 'file' ? [auditComponent(audit.file)] : []),
    ...authentication.components,
  ];
};
