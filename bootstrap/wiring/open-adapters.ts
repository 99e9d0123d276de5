import { randomUUID } from 'node:crypto';
import type { Log } from '../../application/ports/log.ts';
import { DisabledMailer } from '../../application/ports/mailer.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Adapters } from '../container.ts';
import type { PublicService, RunningService } from '../service.ts';
import { countsBeside } from './attempt-counter.ts';
import { hashCeilingOf } from './hash-ceiling.ts';
import { tracingOf } from './tracing-environment.ts';

/** Opens the adapters that a configuration names. */
export const openAdapters = async (configuration: Configuration, log: Log): Promise<Adapters> => {
  const tools = { log, operationTimeout: configuration.operationTimeout };
  const [store, hash, mailer] = await Promise.all([
    configuration.database.open({ ...tools, evenReads: configuration.privacy.hideUnknownUsers }),
    configuration.passwordHash.open({ ...tools, hashMemoryKiB: hashCeilingOf(configuration) }),
    configuration.email?.open(tools) ?? new DisabledMailer(),
  ]);
  const attempts = configuration.throttle && (await countsBeside(store, configuration.throttle.limits, log));
  return { store, hash, mailer, attempts, clock: { now: Date.now }, tokens: { next: randomUUID } };
};

/** While the database opens, in a thread or a machine of its own, this process loads what will serve. */
const prepared = (configuration: Configuration, log: Log) =>
  Promise.all([openAdapters(configuration, log), import('../service.ts'), tracingOf(process.env, log)]);

/**
 * Opens the adapters, wires them and listens. It succeeds also while the database is down: calls are then answered
 * with 503. Rejects when a port can't be had, with everything closed again.
 */
export const startService = async (configuration: Configuration, log: Log): Promise<RunningService> => {
  const [adapters, { runService }, tracing] = await prepared(configuration, log);
  return runService(configuration, adapters, log, tracing);
};

/** `startService` without the admin port, for one of several processes. */
export const startPublicService = async (configuration: Configuration, log: Log): Promise<PublicService> => {
  const [adapters, { openService }, tracing] = await prepared(configuration, log);
  return openService(configuration, adapters, log, tracing);
};
