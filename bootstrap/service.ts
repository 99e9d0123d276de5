import { systemClock } from '../adapters/system-clock.ts';
import { type Health, healthOf } from '../application/health.ts';
import type { Log } from '../application/ports/log.ts';
import type { Configuration, ReadConfiguration } from './configuration/index.ts';
import { ReloadStatus } from './reload/reload-status.ts';
import { openAdapters } from './service/adapters.ts';
import { openAdmin } from './service/admin-service.ts';
import { openPublicService, type PublicService } from './service/public-service.ts';

/** A service that listens on both ports. */
export interface RunningService {
  /** The address of the public port, with the port number that was actually taken. */
  readonly url: string;
  /** The address of the admin port. */
  readonly adminUrl: string;
  /** Whether requests can be served: the database answers. */
  readiness(): Promise<Health>;
  /** A line about where mails go, or why they cannot be sent. */
  mailStatus(): Promise<string>;
  /**
   * Serves new requests with another configuration, in every process. Rejects, and changes nothing, if a process cannot
   * use it. It must not differ in what needs a restart.
   */
  reload(next: ReadConfiguration): Promise<void>;
  /** Finishes accepted requests within the operation timeout, then closes everything. */
  stop(): Promise<void>;
}

/**
 * Opens the adapters and serves the public port. Succeeds while the database is down; requests then get 503. Rejects if
 * the port is not available, after it has closed everything again.
 */
export const startPublicService = async (configuration: Configuration, log: Log, clock = systemClock) => {
  const adapters = await openAdapters(configuration, log, { clock });
  return openPublicService(configuration, adapters, log);
};

/** What this process provides for its admin port, from the generation that serves when the port is set up for it. */
const sourcesOf = ({ generation, metrics }: PublicService) => ({
  components: () => generation.components,
  readiness: generation.readiness,
  metrics: async () => [await metrics()],
  openAdministration: async () => generation.openAdministration(),
});

/** Serves both ports in this process. Rejects if a port is not available, after it has closed everything again. */
export const startService = async (
  configuration: Configuration,
  log: Log,
  reloads = new ReloadStatus(),
  clock = systemClock,
): Promise<RunningService> => {
  const service = await startPublicService(configuration, log, clock);
  let stopping: Promise<void> | undefined;
  try {
    const admin = await openAdmin(
      configuration,
      () => ({ ...sourcesOf(service), clock, reloads, isStopping: () => stopping !== undefined }),
      log,
    );
    return {
      url: service.url,
      adminUrl: admin.url,
      readiness: () => admin.readiness(),
      mailStatus: async () => (await healthOf(service.generation.mailer)).message,
      reload: async ({ configuration: next }) => {
        const generation = await service.open(next);
        service.replace(generation, () => admin.replace(next));
      },
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
