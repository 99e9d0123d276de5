import { listen } from '../adapters/http/server/listener.ts';
import { type ProcessMetrics, processMetrics } from '../adapters/observability/exposition.ts';
import { hashQueueMetricFamilies, serviceMetricFamilies } from '../adapters/observability/metric-families.ts';
import type { Tracing } from '../adapters/observability/tracing/index.ts';
import { slowHashes } from '../adapters/password-hashes/work-queue.ts';
import { type Component, healthOf } from '../application/health.ts';
import { withTimeout } from '../application/interceptor.ts';
import type { Log } from '../application/ports/log.ts';
import type { Configuration } from './configuration/index.ts';
import type { Adapters } from './container.ts';
import { openAdmin } from './wiring/admin-port.ts';
import type { AdministrationAdapters } from './wiring/administration-wiring.ts';
import { checkBoth } from './wiring/attempt-counter.ts';
import { openAudit } from './wiring/audit-wiring.ts';
import { authenticationOf } from './wiring/authentication.ts';
import { openEvents } from './wiring/event-delivery.ts';
import { Observation } from './wiring/observability.ts';
import { passwordHelpersOf } from './wiring/password-helpers.ts';
import { applicationOf, messageInterceptor } from './wiring/public-port.ts';

/** A service that is listening. */
export interface RunningService {
  /** Where clients reach it: its address, with the port that was really taken. */
  readonly url: string;
  /** `http://host:port` of health, readiness and metrics. */
  readonly adminUrl: string;
  /** A line about where mails go, or why they can't be sent just now. */
  mail(): Promise<string>;
  /** Finishes what was accepted, within the operation timeout, then closes everything. */
  stop(): Promise<void>;
}

/** The part of a service that answers clients. */
export interface PublicService {
  readonly url: string;
  /** The parts whose health is that of the service; the first is the one that it can't do without. */
  readonly components: readonly Component[];
  /** What sends mails, also where mails are switched off and no part of the health. */
  readonly mailer: Component;
  /** What administrators of the same process work with. */
  readonly administration: AdministrationAdapters;
  /** What was measured so far. */
  readings(): Promise<ProcessMetrics>;
  stop(): Promise<void>;
}

/** How long a stop waits for a collector of traces, in milliseconds, in the time that is left for it. */
const longestFarewell = 3_000;

/** How long a stop waits for webhooks that were called and have not answered, in milliseconds. */
const longestDelivery = 2_000;

/** How long the adapters may take to close when no time is left, in milliseconds. */
const longestClosing = 1_000;

const close = async ({ store, mailer, attempts }: Adapters): Promise<void> => {
  await Promise.allSettled([store.users.close(), mailer.close(), attempts?.close()]);
};

/**
 * Wires opened adapters and listens for clients; requests are traced where there is `tracing`. Rejects when the port
 * can't be had, with the adapters closed again.
 */
export const openService = async (
  configuration: Configuration,
  opened: Adapters,
  log: Log,
  tracing?: Tracing,
): Promise<PublicService> => {
  const { server, operationTimeout, email } = configuration;
  const observation = new Observation(tracing);
  const adapters = observation.of(opened);
  try {
    const audit = await openAudit(configuration, log);
    const events = await openEvents(configuration, adapters, log);
    const authentication = await authenticationOf(configuration.auth, log);
    const passwordHelpers = await passwordHelpersOf(configuration, adapters, events.domainEvents, log);
    const app = await applicationOf(
      configuration,
      adapters,
      { events, authentication, passwordHelpers, audit },
      observation,
      log,
    );
    const listener = await listen(app.callback(), server);
    events.start();
    const database = { name: 'database', check: () => checkBoth(adapters.store.users, adapters.attempts) };
    const mailer = { name: 'email', check: () => adapters.mailer.check() };
    return {
      url: listener.url,
      components: [database, ...(email === null ? [] : [mailer]), ...events.components, ...authentication.components],
      mailer,
      administration: {
        store: adapters.store,
        clock: adapters.clock,
        events: events.domainEvents,
        audit,
        around: messageInterceptor(configuration, observation),
      },
      readings: async () =>
        processMetrics([
          ...serviceMetricFamilies(observation.metrics),
          ...hashQueueMetricFamilies(slowHashes),
          ...passwordHelpers.readings(),
          ...(await events.readings()),
        ]),
      stop: async () => {
        const started = performance.now();
        await listener.stop(operationTimeout);
        await Promise.allSettled([
          withTimeout(longestDelivery + longestClosing, events.stop(longestDelivery), () => new Error('took too long')),
        ]);
        const left = operationTimeout - (performance.now() - started);
        const closed = withTimeout(
          Math.max(left, longestClosing),
          passwordHelpers.stop().then(() => close(adapters)),
          () => new Error('closing took too long'),
        );
        await Promise.allSettled([closed, audit?.close(), tracing?.stop(Math.min(left, longestFarewell))]);
      },
    };
  } catch (error) {
    await close(adapters);
    throw error;
  }
};

/** Serves in this process alone. Rejects when a port can't be had, with everything closed again. */
export const runService = async (
  configuration: Configuration,
  opened: Adapters,
  log: Log,
  tracing?: Tracing,
): Promise<RunningService> => {
  const service = await openService(configuration, opened, log, tracing);
  let stopping: Promise<void> | undefined;
  try {
    const overview = {
      components: service.components,
      isStopping: () => stopping !== undefined,
      readings: async () => [await service.readings()],
      administration: async () => service.administration,
    };
    const admin = await openAdmin(configuration, overview, log);
    return {
      url: service.url,
      adminUrl: admin.url,
      mail: async () => (await healthOf(service.mailer)).message,
      stop: () => {
        stopping ??= service.stop().then(() => admin.stop());
        return stopping;
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
};
