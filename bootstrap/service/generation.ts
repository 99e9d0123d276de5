import type { RequestListener } from 'node:http';
import { createService } from '../../adapters/http/api/http-service.ts';
import { clientPermissions } from '../../adapters/http/authentication/permissions.ts';
import { requestTimeoutMs } from '../../adapters/http/server/listener.ts';
import { requestLog } from '../../adapters/http/server/pipeline.ts';
import { Readiness, withReadiness } from '../../adapters/http/server/readiness.ts';
import { TrustedProxies } from '../../adapters/http/server/trusted-proxies.ts';
import type { MetricFamily } from '../../adapters/observability/metric-families.ts';
import type { Component } from '../../application/health.ts';
import { compose, timeoutInterceptor, withTimeout } from '../../application/interceptor.ts';
import type { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import { PasswordCheck } from '../../application/passwords/password-check.ts';
import type { SecretUse } from '../../application/ports/expiring-secret.ts';
import type { Log } from '../../application/ports/log.ts';
import { clientKeysOf } from '../configuration/auth-block.ts';
import type { Configuration } from '../configuration/index.ts';
import { limitsClients } from '../configuration/key-permissions.ts';
import { policiesOf, wire } from '../container.ts';
import type { Feature } from '../features/feature.ts';
import { observersOf, openFeatures } from '../features/index.ts';
import { type Adapters, databaseComponents } from './adapters.ts';
import { type AdministrationSources, administrationSources } from './administration-openers.ts';
import { type KeySets, openAuthentication } from './authentication.ts';
import { Closers } from './closers.ts';
import { type DeliveryGroup, openEventDelivery } from './event-delivery.ts';
import type { Observability } from './observability.ts';
import { openRoutes } from './public-routes.ts';

/** How long a stop waits for deliveries in progress even when no time is left. */
const deliveryTimeoutMs = 2_000;
/** Responses to operations that took the whole timeout are written a little later. */
const timeoutMarginMs = 1_000;

/** What the generations of a service share. */
interface Shared {
  readonly observability: Observability;
  /** Notifies the deliveries that have started. */
  readonly signal: DeliverySignal;
  readonly keySets: KeySets;
  readonly isStopping: () => boolean;
  readonly log: Log;
}

/** Everything behind the listener that depends on one configuration, except the store. A reload opens the next one. */
export interface Generation {
  readonly configuration: Configuration;
  /** Serves the public port. */
  readonly handle: RequestListener;
  /** Together they are the health of the service. */
  readonly components: readonly Component[];
  /** The mailer, even if mails are switched off and it does not count as a component. */
  readonly mailer: Component;
  /** Whether the service can serve requests. */
  readonly readiness: Component;
  /** The counts of secrets of clients, which the next generation continues. */
  readonly secretUses: readonly SecretUse[];
  /** Wires the use cases for the administration in this process. */
  openAdministration(): AdministrationSources;
  metrics(): Promise<readonly MetricFamily[]>;
  /** Starts its deliveries. */
  start(): void;
  /**
   * Ends it after the next generation has started, when its requests, its deliveries in progress and `others` have ended.
   * Clients have the usual time to send their requests. Never rejects.
   */
  retire(others: Promise<unknown>): Promise<void>;
  /** Ends it before it has started. Never rejects. */
  discard(): Promise<void>;
  /** Closes everything but what `flush` sends, within about `remainingMs`. Never rejects. */
  close(remainingMs?: number): Promise<void>;
  /** Sends what is left after everything else was closed. */
  flush(remainingMs?: number): Promise<void>;
}

/** Opens a generation. If a part cannot be opened, closes every part of it, including the mailer, and rejects. */
export const openGeneration = async (
  configuration: Configuration,
  opened: Adapters,
  shared: Shared,
): Promise<Generation> => {
  const { observability, signal, isStopping, log } = shared;
  const { server, logging, auth, email, operationTimeoutMs } = configuration;
  const closers = new Closers(log);
  const flushes: NonNullable<Feature['flush']>[] = [];
  const flush = async (remainingMs = 0): Promise<void> => {
    await Promise.allSettled(flushes.map((send) => send(remainingMs)));
  };
  closers.add('email', () => opened.mailer.close());
  try {
    const features = await openFeatures({ configuration, adapters: opened, log });
    for (const feature of features) {
      if (feature.close !== undefined) closers.add('optional feature', feature.close);
      if (feature.flush !== undefined) flushes.push(feature.flush);
    }
    const clients = clientKeysOf(auth);
    observability.metrics.startKeyCounts(clients);
    const tokens = limitsClients(auth) && auth?.type === 'oauth' ? [{ application: '', may: [] }] : [];
    observability.metrics.notPermitted.start([...clients, ...tokens], clientPermissions);
    const adapters = observability.observe(opened);
    const authentication = await openAuthentication(auth, log, opened.clock, shared.keySets);
    closers.add('authentication', async () => authentication.close());
    const services = wire(
      adapters,
      policiesOf(configuration),
      features,
      compose(observability.messages, timeoutInterceptor(operationTimeoutMs)),
      signal,
    );
    closers.add('password check', () => services.get(PasswordCheck).stop());
    const groups: DeliveryGroup[] = [];
    for (const feature of features) groups.push(...((await feature.deliveries?.(services)) ?? []));
    const outbox = groups.length === 0 ? undefined : adapters.store.events;
    const delivery = outbox && openEventDelivery(groups, outbox, adapters, shared.signal, log);
    const stopDelivery = async (remainingMs: number) => delivery?.stop(Math.max(remainingMs, deliveryTimeoutMs));
    closers.add('delivery', stopDelivery, deliveryTimeoutMs + 1_000);
    const app = createService({
      routes: await openRoutes(configuration, features, services),
      authenticator: authentication.authenticator,
      operationTimeoutMs,
      observers: [requestLog(log, logging.requests), observability.metrics.recordRequest, ...observersOf(features)],
      tracer: observability.tracing?.requests,
      log,
      proxies: server.trustProxy === false ? undefined : new TrustedProxies(server.trustProxy),
      errorPages: { ...services.pages, home: null },
      before: features.flatMap(({ middleware }) => middleware ?? []),
    });
    const lastSuccessMs = () => observability.metrics.store.lastSuccessMs;
    const checks = features.flatMap(({ checkDatabase }) => checkDatabase ?? []);
    const { database, readiness } = databaseComponents(adapters, checks, lastSuccessMs);
    const handle = app.callback();
    const mailer: Component = { name: 'email', check: () => adapters.mailer.check() };
    const close = (remainingMs?: number): Promise<void> => closers.close(remainingMs);
    const discard = async (): Promise<void> => {
      await close();
      await flush();
    };
    return {
      configuration,
      handle: server.readinessOnPublicPort ? withReadiness(handle, new Readiness(readiness, isStopping)) : handle,
      components: [
        database,
        ...(email === undefined ? [] : [mailer]),
        ...(delivery?.components ?? []),
        ...authentication.components,
      ],
      mailer,
      readiness,
      secretUses: authentication.authenticator.uses ?? [],
      openAdministration: () => administrationSources(services, features),
      metrics: async () => [
        ...features.flatMap((feature) => feature.metrics?.() ?? []),
        ...((await delivery?.metrics()) ?? []),
      ],
      start: () => delivery?.start(),
      retire: async (others) => {
        const ended = Promise.all([app.idle(), others]);
        const timeoutError = () => new Error('a request takes longer than it may');
        // An attempt that is aborted here would be repeated by the next generation: a mail would be sent twice.
        await Promise.allSettled([
          withTimeout(requestTimeoutMs + operationTimeoutMs + timeoutMarginMs, ended, timeoutError),
          delivery?.finish(),
        ]);
        await discard();
      },
      discard,
      close,
      flush,
    };
  } catch (error) {
    await closers.close();
    await flush();
    throw error;
  }
};
