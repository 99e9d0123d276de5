import type { MetricFamily } from '../../adapters/observability/metric-families.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { healthOf } from '../../application/health.ts';
import { timeoutInterceptor } from '../../application/interceptor.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration, ReadConfiguration } from '../configuration/index.ts';
import { policiesOf, wire } from '../container.ts';
import type { Feature } from '../features/feature.ts';
import { openFeatures } from '../features/index.ts';
import type { ReloadStatus } from '../reload/reload-status.ts';
import { openAdapters } from '../service/adapters.ts';
import { openAdmin } from '../service/admin-service.ts';
import { type AdministrationSources, administrationSources } from '../service/administration-openers.ts';
import { Closers } from '../service/closers.ts';
import type { RunningService } from '../service.ts';
import { WorkerPool } from './worker-pool.ts';

/** The time that a worker gets to stop, in addition to the operation timeout. */
const extraStopTimeoutMs = 1_500;

/** The administration in the primary, which has adapters of its own because it shares none with the workers. */
class PrimaryAdministration {
  private closers: Closers;
  private opened: Promise<AdministrationSources> | undefined;
  private features: readonly Feature[] = [];

  constructor(
    private readonly configuration: Configuration,
    private readonly log: Log,
  ) {
    this.closers = new Closers(log);
  }

  /** Opens the adapters on the first call, and again after a failure. */
  open(): Promise<AdministrationSources> {
    this.opened ??= this.openSources().catch(async (error: unknown) => {
      await this.closers.close();
      this.closers = new Closers(this.log);
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  /** What the processes that serve the public port do not count. */
  metrics(): readonly MetricFamily[] {
    return this.features.flatMap((feature) => feature.metrics?.() ?? []);
  }

  async close(): Promise<void> {
    await this.opened?.catch(() => undefined);
    await this.closers.close();
  }

  private async openSources(): Promise<AdministrationSources> {
    const { log, configuration } = this;
    const adapters = await openAdapters(configuration, log);
    this.closers.add('email', () => adapters.mailer.close());
    this.closers.add('database', () => adapters.store.users.close());
    const features = await openFeatures({ configuration, adapters, log });
    this.features = features;
    for (const { close, flush } of features) {
      if (close !== undefined) this.closers.add('optional feature', close);
      if (flush !== undefined) this.closers.add('audit', flush);
    }
    const interceptor = timeoutInterceptor(configuration.operationTimeoutMs);
    return administrationSources(wire(adapters, policiesOf(configuration), features, interceptor), features);
  }
}

/**
 * Runs the service in several processes that share its port; this process serves the admin port for all of them.
 * Rejects with WorkerStartFailed if a worker cannot start, or with the error of the system if the admin port is not
 * available.
 */
export const startCluster = async (
  { configuration, document }: ReadConfiguration,
  log: Log,
  reloads: ReloadStatus,
): Promise<RunningService> => {
  const { operationTimeoutMs, server } = configuration;
  const stopTimeoutMs = operationTimeoutMs + extraStopTimeoutMs;
  const workers = new WorkerPool(document, log);
  let administration = new PrimaryAdministration(configuration, log);
  let stopping: Promise<void> | undefined;
  try {
    // The first worker starts alone, so that errors are printed once and one process creates the database.
    const first = await workers.add();
    await Promise.all(Array.from({ length: server.workers - 1 }, () => workers.add()));
    const admin = await openAdmin(
      configuration,
      () => ({
        clock: systemClock,
        components: () => workers.components(),
        readiness: workers.component('readiness'),
        reloads,
        isStopping: () => stopping !== undefined,
        metrics: async () => [...(await workers.metrics()), administration.metrics()],
        openAdministration: () => administration.open(),
      }),
      log,
    );
    return {
      url: first.url,
      adminUrl: admin.url,
      readiness: () => admin.readiness(),
      mailStatus: async () => (await healthOf(workers.component('email'))).message,
      reload: ({ configuration: next, document: nextDocument }) =>
        workers.reload(nextDocument, () => {
          const former = administration;
          administration = new PrimaryAdministration(next, log);
          void admin.replace(next).then(() => former.close());
        }),
      stop: () => {
        stopping ??= workers
          .stop(stopTimeoutMs)
          .then(() => admin.stop())
          .then(() => administration.close());
        return stopping;
      },
    };
  } catch (error) {
    await workers.stop(stopTimeoutMs);
    throw error;
  }
};
