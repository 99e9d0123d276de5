import cluster from 'node:cluster';
import type { Log } from '../../application/ports/log.ts';
import type { ChosenFile } from '../configuration/chosen-file.ts';
import { type Configuration, readConfiguration } from '../configuration/index.ts';
import { openLog } from '../log.ts';
import type { RunningService } from '../service.ts';
import { startService } from '../wiring/open-adapters.ts';
import { exitStatus } from './exit-status.ts';
import { reportFailure } from './report.ts';
import { welcome } from './welcome.ts';

/** Lines of the time before the level is known, at the default level. */
const earlyLog = (): Promise<Log> => openLog('info');

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Ends a start that nobody wants any more. The first process of a container hears only those signals that it asks for. */
const abandonStart = (): void => process.exit(exitStatus.done);

/** A signal often comes twice, as when npm passes on what the terminal has sent already: only the first counts. */
const stopOnSignals = (service: RunningService, log: Log): void => {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    const stopped = service.stop();
    log.info({ signal }, 'stopping');
    await stopped;
    log.info({}, 'stopped');
    process.exit(exitStatus.done);
  };
  for (const signal of signals) process.off(signal, abandonStart).on(signal, stop);
};

/** A promise that nobody waits for has failed: the state of the process is unknown, and a supervisor starts a new one. */
const endOnBugs = (log: Log): void => {
  const end =
    (kind: string) =>
    (error: unknown): void => {
      const at =
        error instanceof Error
          ? error.stack
              ?.split('\n')
              .slice(1, 6)
              .map((line) => line.trim())
          : undefined;
      log.error({ name: error instanceof Error ? error.name : typeof error, at }, kind);
      process.exit(exitStatus.failed);
    };
  process.on('unhandledRejection', end('unhandled rejection'));
  process.on('uncaughtException', end('uncaught exception'));
};

const announce = async (service: RunningService, configuration: Configuration): Promise<void> => {
  const text = await welcome(service, configuration);
  // Standard output holds nothing but the log where a program reads it.
  (process.stdout.isTTY ? process.stdout : process.stderr).write(text);
};

/** In one process, or in several: what each way needs is loaded for it alone. */
const started = async (configuration: Configuration, log: Log): Promise<RunningService> => {
  if (configuration.server.workers === 1) return startService(configuration, log);
  const { runCluster } = await import('../cluster/primary.ts');
  return runCluster(configuration, log);
};

const serveBesideOthers = async (configuration: Configuration, log: Log): Promise<undefined> => {
  const { runWorker } = await import('../cluster/worker.ts');
  return runWorker(configuration, log);
};

/** Runs the service until a signal ends it. Resolves with the exit status when it can't start. */
export const serve = async (file: ChosenFile): Promise<number | undefined> => {
  // The first process tells the workers when to end.
  if (cluster.isPrimary) for (const signal of signals) process.on(signal, abandonStart);
  try {
    const { configuration, warnings } = await readConfiguration(file.path, await earlyLog());
    const log = await openLog(configuration.logging.level);
    endOnBugs(log);
    if (cluster.isPrimary) for (const warning of [...file.warnings, ...warnings]) log.warn({}, warning);
    if (cluster.isWorker) return await serveBesideOthers(configuration, log);
    const service = await started(configuration, log);
    stopOnSignals(service, log);
    log.info({ url: service.url, admin: service.adminUrl }, 'listening');
    await announce(service, configuration);
    return undefined;
  } catch (error) {
    const status = reportFailure(error);
    // The channel to the first process would keep a worker alive.
    if (cluster.isWorker) process.disconnect();
    return status;
  }
};
