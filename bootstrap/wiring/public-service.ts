import type { Container } from 'inversify';
import { createService } from '../../adapters/http/server/http-service.ts';
import { listen } from '../../adapters/http/server/listener.ts';
import { requestLog } from '../../adapters/http/server/request-log.ts';
import type { ProcessMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { AdministrationBus, CommandBus, QueryBus } from '../../application/bus.ts';
import type { Component } from '../../application/health.ts';
import { compose, timeoutInterceptor } from '../../application/interceptor.ts';
import { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import type { Log } from '../../application/ports/log.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import type { Configuration } from '../configuration/index.ts';
import { wire } from '../container.ts';
import type { AdministrationSources } from './admin-service.ts';
import { Closers } from './closers.ts';
import { openEventDelivery, storedEvents } from './event-delivery.ts';
import {
  documentationOf,
  openAuthentication,
  openCors,
  openReadiness,
  openRoutes,
  openTrustedProxies,
} from './http-features.ts';
import { openMails, withoutMails } from './mail-texts.ts';
import { Observability, openAudit, openConfiguredTracing } from './observability.ts';
import { type Adapters, closeAdapters, databaseComponents } from './open-adapters.ts';
import type { RecoveryCollaborators, RecoveryService } from './open-recovery.ts';
import { brandOf } from './page-languages.ts';
import { openPasswordServices } from './password-services.ts';
import { policiesOf } from './use-case-policies.ts';

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
  /** Opens the audit file and reads the list of known passwords again, as far as they exist. Never rejects. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a stop waits for the collector of traces. */
const traceFlushTimeoutMs = 3_000;

/** How long a stop waits for deliveries in progress even when no time is left. */
const deliveryTimeoutMs = 2_000;

/** The recovery of passwords; null without the block `recovery`. */
const openConfiguredRecovery = async (
  configuration: Configuration,
  adapters: Adapters,
  container: Container,
  collaborators: RecoveryCollaborators,
  log: Log,
): Promise<RecoveryService | null> => {
  const { recovery } = configuration;
  const { tokenAttempts } = adapters;
  if (recovery === null || tokenAttempts === null) return null;
  const { openRecovery } = await import('./open-recovery.ts');
  return openRecovery({ ...configuration, recovery }, { ...adapters, tokenAttempts }, container, collaborators, log);
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
  // Traces and audit entries are flushed last and together, so that a slow receiver never keeps the database open.
  const flushes: ((remainingMs: number) => Promise<void> | undefined)[] = [];
  closers.add((remainingMs) => Promise.all(flushes.map((flush) => flush(remainingMs))));
  closers.add(() => closeAdapters(opened));
  try {
    const tracing = await openConfiguredTracing(process.env, log);
    flushes.push((remainingMs) => tracing?.stop(Math.min(remainingMs, traceFlushTimeoutMs)));
    const observability = new Observability(tracing);
    const adapters = observability.observe(opened);
    const audit = await openAudit(configuration, log);
    flushes.push(() => audit?.close());
    const mails = email === null ? withoutMails : await openMails(email);
    const signal = new DeliverySignal(adapters.clock);
    const stored = storedEvents(configuration, adapters);
    const authentication = await openAuthentication(auth, log);
    closers.add(async () => authentication.close());
    const passwordServices = await openPasswordServices(configuration, adapters, log);
    closers.add(() => passwordServices.stop());

    const interceptor = compose(observability.messages, timeoutInterceptor(operationTimeoutMs));
    const changes = configuration.verification.confirmChange ? await import('./open-address-moves.ts') : null;
    const container = wire(adapters, policiesOf(configuration), {
      ...stored,
      delivery: signal,
      interceptor,
      checkHelpers: passwordServices.checkHelpers,
      throttle: passwordServices.throttle,
      passwordRules: passwordServices.rules,
      mails,
      addressChanges: changes?.openAddressChanges(configuration, adapters, mails, stored.mailQueue) ?? null,
    });
    const { ledger } = container.get(SettlingStore);
    closers.add(() => ledger.stop());
    const commands = container.get(CommandBus);
    const queries = container.get(QueryBus);
    const collaborators = { interceptor, mails, mailQueue: stored.mailQueue, delivery: signal };
    const recovery = await openConfiguredRecovery(configuration, adapters, container, collaborators, log);
    const delivery = await openEventDelivery(
      configuration,
      adapters,
      mails,
      stored.events,
      signal,
      recovery?.targets ?? [],
      log,
    );
    closers.add((remainingMs) => delivery.stop(Math.max(remainingMs, deliveryTimeoutMs)), deliveryTimeoutMs + 1_000);
    const app = createService({
      routes: [
        ...(await openRoutes(configuration, commands, queries, recovery?.bus ?? null)),
        ...((await changes?.openChangeRoutes(configuration, container, interceptor)) ?? []),
      ],
      authenticator: authentication.authenticator,
      operationTimeoutMs,
      documentation: documentationOf(configuration),
      observers: [
        requestLog(log, logging.requests),
        observability.metrics.recordRequest,
        observability.countKeys(auth),
        ...(audit === null ? [] : [audit.observe]),
      ],
      tracer: tracing?.requests ?? null,
      log,
      proxies: await openTrustedProxies(server),
      errorPages: { brand: email && brandOf(email), home: null },
      before: await openCors(server),
    });
    const lastSuccessMs = () => observability.metrics.store.lastSuccessMs;
    const { database, readiness } = databaseComponents(adapters, passwordServices.throttle, lastSuccessMs);
    let isStopping = false;
    const handle = await openReadiness(server, app.callback(), readiness, () => isStopping);
    const listener = await listen(handle, server);
    closers.add((remainingMs) => listener.stop(remainingMs), operationTimeoutMs + 1_000);
    delivery.start();
    ledger.start();

    const mailer: Component = { name: 'email', check: () => adapters.mailer.check() };
    return {
      url: listener.url,
      components: [database, ...(email === null ? [] : [mailer]), ...delivery.components, ...authentication.components],
      mailer,
      readiness,
      openAdministration: () => ({
        bus: container.get(AdministrationBus),
        audit,
        listsUsers: adapters.store.listing !== undefined,
      }),
      metrics: async () =>
        observability.report([
          ...passwordServices.metrics(),
          ...(audit?.metrics() ?? []),
          ...(await delivery.metrics()),
        ]),
      reload: () => {
        audit?.reopen();
        return passwordServices.reload();
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
