import cluster from 'node:cluster';
import { isatty } from 'node:tty';
import { adminPaths, publicPaths } from '../../adapters/http/paths.ts';
import type { Health } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import { startCluster } from '../cluster/primary.ts';
import { runWorker } from '../cluster/worker.ts';
import { clientKeysOf } from '../configuration/auth-block.ts';
import { chosenFile, readConfiguration } from '../configuration/configuration-file.ts';
import type { Configuration, ReadConfiguration } from '../configuration/index.ts';
import { shownKey } from '../configuration/key-block.ts';
import { openLog } from '../log-output.ts';
import { ConfigurationReload } from '../reload/configuration-reload.ts';
import { ReloadStatus } from '../reload/reload-status.ts';
import { reopenFilesOnMessage } from '../reload/reopened-files.ts';
import { type RunningService, startService } from '../service.ts';
import { logBugs } from '../unexpected-errors.ts';
import { reportFailure } from './command-errors.ts';
import { type Arguments, exitStatus, shellQuote, UsageError } from './command-line.ts';

/** How often a service that is not ready after its start is checked. */
const readinessPollMs = 1_000;

const signals = ['SIGTERM', 'SIGINT'] as const;

// Needed as the first process of a container, which ignores every signal without a handler.
const abandonStart = (): void => {
  // Otherwise they would report that the channel to this process is closed.
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
  process.exit(exitStatus.done);
};

/** Stops the service on the first signal. npm, for example, repeats a signal that the terminal has sent already. */
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
  // In this order, because Node.js drops a signal that waits when its last listener is removed.
  for (const signal of signals) process.on(signal, stop).off(signal, abandonStart);
};

/** Whether the service has files for which SIGHUP is sent in operation, and not only by a terminal. */
const isSentHangUps = ({ audit, passwordRules, server }: Configuration): boolean =>
  server.watch || audit?.to === 'file' || typeof passwordRules?.blocklist === 'string';

/**
 * Makes SIGHUP reload the configuration, from the moment the returned function has got the reload; one that came before
 * counts then. Without a handler it would end the process. It does so only if it says that the terminal is gone, and
 * `isSentHangUps` is false.
 */
const reloadOnHangUp = () => {
  const startedInTerminal = isatty(0);
  let hungUp = false;
  let reload = (): void => {
    hungUp = true;
  };
  let keepsWithoutTerminal = false;
  process.on('SIGHUP', () => {
    // A terminal sends its signals to every process, but only the primary acts on them.
    if (cluster.isWorker) return;
    if (startedInTerminal && !isatty(0) && !keepsWithoutTerminal) process.emit('SIGTERM', 'SIGTERM');
    else reload();
  });
  return (configuration: Configuration, next: ConfigurationReload, service: RunningService): void => {
    keepsWithoutTerminal = isSentHangUps(configuration);
    reload = () => void next.run();
    next.start(service, hungUp);
  };
};

/** The argument of `curl -u`; curl asks for a secret that is not in it. Undefined where clients use tokens. */
const curlCredentials = ({ auth }: Configuration): string | undefined => {
  const [key] = clientKeysOf(auth);
  return key && shownKey(key);
};

const curlCommand = (url: string, credentials: string | undefined): string =>
  [
    'curl',
    credentials === undefined ? `-H "Authorization: Bearer $TOKEN"` : `-u ${shellQuote(credentials)}`,
    `-H 'Content-Type: application/json'`,
    `-d '{"email":{"address":"jane@example.com"},"password":"correct horse"}'`,
    `${url}${publicPaths.users}`,
  ].join(' ');

/** The text for a person who has started the service: its addresses, and a command that creates a user. */
export const welcome = async (
  service: RunningService,
  configuration: Configuration,
  { healthy, message }: Health,
): Promise<string> => {
  const { url, adminUrl } = service;
  const { openApi, email, admin, auth } = configuration;
  const lines = [
    ['Service', url],
    ['Documentation', openApi.enabled ? `${url}${publicPaths.documentation}` : 'switched off'],
    ['Mails', await service.mailStatus()],
    ...(email?.keepsMails ? [['Outbox', `${adminUrl}${adminPaths.keptMails}`] as const] : []),
    ...admin.keys
      .slice(0, 1)
      .map((key) => ['Users', `${adminUrl}${adminPaths.administration}  (${shownKey(key)})`] as const),
    ['Health', `${adminUrl}${adminPaths.health}`],
  ] as const;
  const table = lines.map(([name, value]) => `  ${`${name}:`.padEnd(15)}${value}`).join('\n');
  const state = healthy
    ? 'Latchkey is ready.'
    : `Latchkey is listening, but not ready: ${message}.\nRequests fail until the database can be used.`;
  const ready = `\n${state}\n\n${table}\n\n`;
  // Without authentication every request is denied.
  if (auth === undefined) return ready;
  return `${ready}Create a user:\n\n  ${curlCommand(url, curlCredentials(configuration))}\n\n`;
};

/** Logs whether requests can be served; if not, logs it again once they can. Resolves with the first state. */
const reportReadiness = async (service: RunningService, log: Log): Promise<Health> => {
  const ready = () => log.info({}, 'ready: the database answers');
  const first = await service.readiness();
  if (first.healthy) ready();
  else {
    log.warn({ reason: first.message }, 'listening, but not ready: requests fail until the database can be used');
    const poll = async (): Promise<void> => ((await service.readiness()).healthy ? ready() : pollLater());
    const pollLater = () => void setTimeout(poll, readinessPollMs).unref();
    pollLater();
  }
  return first;
};

/** Starts one process or a cluster. */
const start = (read: ReadConfiguration, log: Log, reloads: ReloadStatus): Promise<RunningService> =>
  read.configuration.server.workers === 1
    ? startService(read.configuration, log, reloads)
    : startCluster(read, log, reloads);

/** Runs the service until a signal stops it. Resolves with the exit status if it cannot start. */
export const serve = async ({ positionals: [config, ...others] }: Arguments): Promise<number | undefined> => {
  if (others.length > 0) throw new UsageError('serve takes one configuration file');
  const file = chosenFile(config);
  const handleHangUp = reloadOnHangUp();
  // The primary tells the workers when to stop.
  if (cluster.isPrimary) for (const signal of signals) process.on(signal, abandonStart);
  let server: Configuration['server'] | undefined;
  try {
    if (cluster.isWorker) {
      reopenFilesOnMessage();
      await runWorker(file.path);
      return undefined;
    }
    // The configured level is not known yet.
    const read = await readConfiguration(file.path, await openLog('info'));
    const { configuration, warnings } = read;
    server = configuration.server;
    const log = await openLog(configuration.logging.level);
    logBugs(log);
    for (const warning of [...file.warnings, ...warnings]) log.warn({}, warning);
    const reloads = new ReloadStatus();
    const reload = new ConfigurationReload(file.path, read, reloads, log);
    const service = await start(read, log, reloads);
    stopOnSignals(service, log);
    handleHangUp(configuration, reload, service);
    log.info({ url: service.url, admin: service.adminUrl }, 'listening');
    const readiness = await reportReadiness(service, log);
    const text = await welcome(service, configuration, readiness);
    // Standard output contains only log lines where a program reads it.
    (process.stdout.isTTY ? process.stdout : process.stderr).write(text);
    return undefined;
  } catch (error) {
    const status = await reportFailure(error, { file: file.path, server });
    // The channel to the primary would keep the worker alive, and closing it would end the worker with status 0.
    if (cluster.isWorker) process.exit(status);
    return status;
  }
};
