import type { AdapterContext } from '../../adapters/kit/definition.ts';
import { Fault } from '../../application/fault.ts';
import { type Component, healthOf } from '../../application/health.ts';
import type { ChosenFile } from '../configuration/chosen-file.ts';
import type { Events } from '../configuration/events.ts';
import { type Configuration, readConfiguration } from '../configuration/index.ts';
import { openLog } from '../log.ts';
import type { OpenAdapter } from '../registry.ts';
import { checkBoth, countsBeside } from '../wiring/attempt-counter.ts';
import { authenticationOf } from '../wiring/authentication.ts';
import { keepsNoEvents, noWebhook } from '../wiring/event-delivery.ts';
import { exitStatus } from './exit-status.ts';
import { reportFailure } from './report.ts';

/** How far waiting events are counted. */
const mostCounted = 10_000;

interface Checkable {
  check(secret?: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens an adapter only to ask how it is; one of secrets is asked about a secret that the file names, if any. */
const component = (name: string, open: OpenAdapter<Checkable>, tools: AdapterContext, secret?: string): Component => ({
  name,
  check: async () => {
    const adapter = await open(tools);
    try {
      return await adapter.check(secret);
    } finally {
      await adapter.close();
    }
  },
});

/** The queue of events, by how many wait for each webhook: nothing is delivered here. */
const eventQueue =
  ({ database }: Configuration, { webhooks }: Events): OpenAdapter<Checkable> =>
  async (tools) => {
    const store = await database.open(tools);
    const check = async (): Promise<string> => {
      const queue = store.events;
      if (queue === undefined) throw new Fault('store_rejected', keepsNoEvents(database.type));
      const lines = webhooks.map(async ({ url, destination }) => {
        const count = await queue.pending(destination, mostCounted);
        return `${new URL(url).host}, ${count} waiting`;
      });
      return lines.length === 0 ? noWebhook : (await Promise.all(lines)).join('; ');
    };
    return { check, close: () => store.users.close() };
  };

/** A database, with the counts of wrong passwords beside it where there are to be some. */
const databaseOf =
  ({ database, throttle }: Configuration): OpenAdapter<Checkable> =>
  async (tools) => {
    const store = await database.open(tools);
    const attempts = throttle && (await countsBeside(store, throttle.limits, tools.log));
    return {
      check: () => checkBoth(store.users, attempts),
      close: async () => {
        await attempts?.close();
        await store.users.close();
      },
    };
  };

const componentsOf = async (configuration: Configuration, log: AdapterContext['log']) => {
  const { secrets, database, email, events, auth, operationTimeout } = configuration;
  const tools = { log, operationTimeout };
  return [
    component(`secrets (${secrets.provider})`, secrets.open, tools, secrets.named[0]),
    component(`database (${database.type})`, databaseOf(configuration), tools),
    ...(email === null ? [] : [component(`email (${email.type})`, email.open, tools)]),
    ...(events === null ? [] : [component('events', eventQueue(configuration, events), tools)]),
    ...(await authenticationOf(auth, log)).components,
  ];
};

const print = (well: boolean, name: string, message: string): void => {
  process.stdout.write(`${well ? 'ok  ' : 'FAIL'}  ${name}: ${message}\n`);
};

/** Decodes the file, then reaches the secrets, the database, the mail provider and the issuer's keys, and prints a line for each. */
export const check = async (file: ChosenFile): Promise<number> => {
  try {
    const log = await openLog('silent');
    const { configuration, warnings } = await readConfiguration(file.path, log);
    print(true, 'configuration', file.path);
    for (const warning of [...file.warnings, ...warnings]) process.stdout.write(`warn  ${warning}\n`);
    let failed = false;
    for (const part of await componentsOf(configuration, log)) {
      const { healthy, message } = await healthOf(part);
      print(healthy, part.name, message);
      failed ||= !healthy;
    }
    return failed ? exitStatus.failed : exitStatus.done;
  } catch (error) {
    return reportFailure(error);
  }
};
