import { healthOf } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import type { RunningService } from '../service.ts';
import { openAdmin } from '../wiring/admin-port.ts';
import { OwnAdministration } from './own-administration.ts';
import { WorkerPool } from './worker-pool.ts';

/** How much longer than the operation timeout a worker may take to end, in milliseconds. */
const longestFarewell = 1_500;

/**
 * Runs the service in several processes, which share its port, and watches over them: the admin port is that of the
 * whole. Rejects with StartFailed when the workers can't start, or with the system's error when the admin port can't
 * be had.
 */
export const runCluster = async (configuration: Configuration, log: Log): Promise<RunningService> => {
  const { workers } = configuration.server;
  const patience = configuration.operationTimeout + longestFarewell;
  const crew = new WorkerPool(log);
  const administrators = new OwnAdministration(configuration, log);
  let stopping: Promise<void> | undefined;
  try {
    // The first one alone: what is wrong is said once, and a database is made by one.
    const { url, components } = await crew.add();
    await Promise.all(Array.from({ length: workers - 1 }, () => crew.add()));
    const overview = {
      components: components.map((name) => crew.component(name)),
      readings: () => crew.readings(),
      administration: () => administrators.open(),
      isStopping: () => stopping !== undefined,
    };
    const admin = await openAdmin(configuration, overview, log);
    return {
      url,
      adminUrl: admin.url,
      mail: async () => (await healthOf(crew.component('email'))).message,
      stop: () => {
        stopping ??= crew
          .stop(patience)
          .then(() => admin.stop())
          .then(() => administrators.close());
        return stopping;
      },
    };
  } catch (error) {
    await crew.stop(patience);
    throw error;
  }
};
