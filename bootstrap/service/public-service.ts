import { createService } from '../../adapters/http/api/http-service.ts';
import { protocolReply } from '../../adapters/http/api/refusal.ts';
import { listen } from '../../adapters/http/server/listener.ts';
import { requestLog } from '../../adapters/http/server/pipeline.ts';
import type { ProcessMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { secretUseFamilies } from '../../adapters/observability/secret-metrics.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import type { Component } from '../../application/health.ts';
import { compose, timeoutInterceptor } from '../../application/interceptor.ts';
import { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import { policiesOf, wire } from '../container.ts';
import type { Feature } from '../features/feature.ts';
import { apiOf, observersOf, openFeatures } from '../features/index.ts';
import { type Adapters, closeAdapters, databaseComponents } from './adapters.ts';
import type { AdministrationSources } from './admin-service.ts';
import { openAuthentication } from './authentication.ts';
import { Closers } from './closers.ts';
import type { DeliveryGroup, EventDelivery } from './event-delivery.ts';
import { Observability } from './observability.ts';
import { documentationOf, openRoutes, openTrustedProxies, rootOf, withPublicReadiness } from './public-routes.ts';

/** The part of a service behind the public port; in a cluster, each worker has one. */
export interface PublicService {
  readonly url: string;
  /** Together they are the health of the service. */
  readonly components: readonly Component[];
  /** The mailer, even if mails are switched off and it does not count as a component. */
  readonly mailer: Component;
  /** Whether the service can serve requests. */
  readonly readiness: Component;
  /** Wires the use cases for the administration in this process. */
  openAdministration(): AdministrationSources;
  metrics(): Promise<ProcessMetrics>;
  /** Whether features have files that they open again. */
  readonly reloads: boolean;
  /** Opens the files of features again. Never rejects. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a stop waits for deliveries in progress even when no time is left. */
const deliveryTimeoutMs = 2_000;

/** Loads the delivery only where features deliver something. */
const openConfiguredDelivery = async (
  groups: readonly DeliveryGroup[],
  adapters: Adapters,
  signal: DeliverySignal,
  log: Log,
): Promise<EventDelivery | undefined> => {
  const outbox = adapters.store.events;
  if (groups.length === 0 || outbox === undefined) return undefined;
  const { openEventDelivery } = await import('./event-delivery.ts');
  return openEventDelivery(groups, outbox, adapters, signal, log);
};

/**
 * Wires opened adapters and listens on the public port. If a part cannot be opened, closes every part that was opened,
 * including the adapters, and rejects.
 */
export const openPublicService = async (
  configuration: Configuration,
  opened: Adapters,
  log: Log,
): Promise<PublicService> => {
  const { server, logging, auth, email, operationTimeoutMs } = configuration;
  const closers = new Closers();
  const flushes: NonNullable<Feature['flush']>[] = [];
  // Last and together, so that a slow receiver of traces or audit entries never keeps the database open.
  closers.add((remainingMs) => Promise.all(flushes.map((flush) => flush(remainingMs))));
  closers.add(() => closeAdapters(opened));
  try {
    const features = await openFeatures({ configuration, adapters: opened, log });
    for (const { close, flush } of features) {
      if (close !== undefined) closers.add(close);
      if (flush !== undefined) flushes.push(flush);
    }
    const tracing = features.find((feature) => feature.tracing !== undefined)?.tracing;
    const observability = new Observability(tracing);
    if (auth?.type === 'basic') observability.metrics.startKeyCounts(auth.keys);
    const adapters = observability.observe(opened);
    const authentication = await openAuthentication(auth, log);
    closers.add(async () => authentication.close());
    const signal = new DeliverySignal(adapters.clock);
    const services = wire(adapters, policiesOf(configuration), features, {
      interceptor: compose(observability.messages, timeoutInterceptor(operationTimeoutMs)),
      collaborators: { delivery: signal },
    });
    const groups: DeliveryGroup[] = [];
    for (const feature of features) groups.push(...((await feature.deliveries?.(services)) ?? []));
    const delivery = await openConfiguredDelivery(groups, adapters, signal, log);
    if (delivery !== undefined)
      closers.add((remainingMs) => delivery.stop(Math.max(remainingMs, deliveryTimeoutMs)), deliveryTimeoutMs + 1_000);
    const app = createService({
      routes: await openRoutes(configuration, features, services),
      authenticator: authentication.authenticator,
      operationTimeoutMs,
      addDocumentation: documentationOf(configuration, features),
      root: rootOf(configuration, services.pages),
      observers: [requestLog(log, logging.requests), observability.metrics.recordRequest, ...observersOf(features)],
      tracer: tracing?.requests ?? null,
      log,
      proxies: await openTrustedProxies(server),
      errorPages: { ...services.pages, home: null },
      before: features.flatMap(({ middleware }) => middleware ?? []),
    });
    const lastSuccessMs = () => observability.metrics.store.lastSuccessMs;
    const checks = features.flatMap(({ checkDatabase }) => checkDatabase ?? []);
    const { database, readiness } = databaseComponents(adapters, checks, lastSuccessMs);
    let isStopping = false;
    const handle = withPublicReadiness(server, app.callback(), readiness, () => isStopping);
    const listener = await listen(handle, server, protocolReply);
    closers.add((remainingMs) => listener.stop(remainingMs), operationTimeoutMs + 1_000);
    delivery?.start();

    const mailer: Component = { name: 'email', check: () => adapters.mailer.check() };
    return {
      url: listener.url,
      components: [
        database,
        ...(email === null ? [] : [mailer]),
        ...(delivery?.components ?? []),
        ...authentication.components,
      ],
      mailer,
      readiness,
      openAdministration: () => ({
        commands: services.get(CommandBus),
        queries: services.get(QueryBus),
        observers: observersOf(features),
        api: apiOf(features),
        sortsUsers: adapters.store.search !== undefined,
      }),
      metrics: async () =>
        observability.report([
          ...secretUseFamilies(authentication.authenticator.uses ?? []),
          ...features.flatMap((feature) => feature.metrics?.() ?? []),
          ...((await delivery?.metrics()) ?? []),
        ]),
      reloads: features.some((feature) => feature.reload !== undefined),
      reload: async () => {
        await Promise.all(features.map((feature) => feature.reload?.()));
      },
      stop: () => {
        isStopping = true;
        return closers.close(operationTimeoutMs);
      },
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
};
