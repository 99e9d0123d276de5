import type { ProcessMetrics } from '../adapters/observability/exposition.ts';
import { type Component, healthOf } from '../application/health.ts';
import type { Log } from '../application/ports/log.ts';
import type { Configuration } from './configuration/index.ts';
import type { AdministrationSources } from './wiring/admin-service.ts';
import { openAdapters } from './wiring/open-adapters.ts';

/** A service that listens on both ports. */
export interface RunningService {
  /** The address of the public port, with the port number that was actually taken. */
  readonly url: string;
  /** The address of the admin port. */
  readonly adminUrl: string;
  /** A line about where mails go, or why they cannot be sent. */
  mailStatus(): Promise<string>;
  /** Finishes accepted requests within the operation timeout, then closes everything. */
  stop(): Promise<void>;
}

/** The part of a service behind the public port; in a cluster, each worker has one. */
export interface PublicService {
  readonly url: string;
  /** Together they are the health of the service. The service cannot work without the first. */
  readonly components: readonly Component[];
  /** The mailer, even if mails are switched off and it does not count as a component. */
  readonly mailer: Component;
  /** Wires the use cases for the administration in this process. */
  openAdministration(): AdministrationSources;
  metrics(): Promise<ProcessMetrics>;
  stop(): Promise<void>;
}

/**
 * Opens the adapters and serves the public port. Succeeds while the database is down; requests then get 503. Rejects if
 * the port cannot be had, after everything is closed again.
 */
export const startPublicService = async (configuration: Configuration, log: Log): Promise<PublicService> => {
  // The database opens in another thread or on another machine; meanwhile this thread loads the rest of the service.
  const [adapters, { openPublicService }] = await Promise.all([
    openAdapters(configuration, log),
    import('./wiring/public-service.ts'),
  ]);
  return openPublicService(configuration, adapters, log);
};

/** Serves both ports in this process. Rejects if a port cannot be had, after everything is closed again. */
export const startService = async (configuration: Configuration, log: Log): Promise<RunningService> => {
  const [service, { openAdmin }] = await Promise.all([
    startPublicService(configuration, log),
    import('./wiring/admin-service.ts'),
  ]);
  let stopping: Promise<void> | undefined;
  try {
    const admin = await openAdmin(
      configuration,
      {
        components: service.components,
        isStopping: () => stopping !== undefined,
        metrics: async () => [await service.metrics()],
        openAdministration: async () => service.openAdministration(),
      },
      log,
    );
    return {
      url: service.url,
      adminUrl: admin.url,
      mailStatus: async () => (await healthOf(service.mailer)).message,
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
