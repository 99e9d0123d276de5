import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMapping } from '../../adapters/kit/option-block.ts';
import type { Log } from '../../application/ports/log.ts';
import { type Configuration, decodeConfiguration } from '../../bootstrap/configuration/index.ts';
import { type RunningService, startService } from '../../bootstrap/service.ts';
import {
  type ApplicationKey,
  createAdminClient,
  createClient,
  type LatchkeyAdminClient,
  type LatchkeyClient,
} from '../client/index.ts';
import type { LatchkeyConfiguration, ServerOptions } from './configuration.ts';
import { administratorOf, keyOf, withDefaults } from './defaults.ts';
import { MailRecorder, type RecordedMail } from './recorded-mails.ts';

/** A service that runs in this process. */
export interface TestLatchkey {
  /** `http://127.0.0.1:PORT` of the service. */
  readonly url: string;
  /** `http://127.0.0.1:PORT` of health, readiness and metrics. */
  readonly adminUrl: string;
  /** The mails so far, oldest first. Empty when the configuration sets `email.type`. */
  readonly mails: readonly RecordedMail[];
  /**
   * The oldest mail to an address that no earlier call returned. Waits for it, because queued mails and those about a
   * recovery are sent after the response. Rejects if none arrives within `timeoutMs`, by default 4,000, or before `stop`.
   */
  nextMail(to: string, timeoutMs?: number): Promise<RecordedMail>;
  /** The first key of `auth.keys`; undefined where `auth.type` is not `basic`. */
  readonly credentials: ApplicationKey | undefined;
  /** A client with these credentials. */
  readonly client: LatchkeyClient;
  /** A client of the administration with the first key of `admin.keys`. */
  readonly admin: LatchkeyAdminClient;
  /** Finishes accepted requests, and frees the ports. Data in memory is lost. */
  stop(): Promise<void>;
}

/** Longer than the random delay of a recovery, and shorter than the default timeout of tests in vitest and Jest. */
const defaultMailTimeoutMs = 4_000;

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

const logOf = async ({ logging }: Configuration): Promise<Log> =>
  logging.level === 'silent' ? silent : (await import('../../bootstrap/log-output.ts')).openLog(logging.level);

const host = '127.0.0.1';

/** A port of this machine that no program uses. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Whether links can start with the address of the port: a proxy or another host would have another address. */
const linksToPort = (server: ServerOptions): boolean => server.publicUrl === undefined && server.host === undefined;

/** The ports and the address of links, which is needed before the service listens. */
const serverOf = async (server: ServerOptions): Promise<ServerOptions> => {
  if (!linksToPort(server)) return { host, port: 0, adminPort: 0, ...server };
  const port = server.port || (await freePort());
  const publicUrl = `${server.tls ? 'https' : 'http'}://${host}:${port}`;
  return { host, adminPort: 0, ...server, port, publicUrl };
};

/** Adds the defaults for a service in this process: free ports on 127.0.0.1, and no log. */
const documentOf = async ({ server, logging, ...others }: LatchkeyConfiguration): Promise<LatchkeyConfiguration> => ({
  ...withDefaults(others),
  server: await serverOf(server ?? {}),
  logging: { level: 'off', ...logging },
});

/** How often a start is repeated because another program took the port before the service listened. */
const maxStarts = 5;

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** A started service, and what its clients need. */
interface Started {
  readonly service: RunningService;
  readonly configuration: Configuration;
  readonly mailer: MailRecorder;
}

const start = async (options: LatchkeyConfiguration): Promise<Started> => {
  const document = await documentOf(options);
  const { configuration } = await decodeConfiguration('the configuration', document, silent);
  const mailer = new MailRecorder();
  // The configured outbox only enables mails; they are recorded, and no file is written.
  const { email } = configuration;
  const recorded =
    email === undefined || options.email?.type !== undefined ? {} : { email: { ...email, open: async () => mailer } };
  const service = await startService({ ...configuration, ...recorded }, await logOf(configuration));
  return { service, configuration, mailer };
};

/** Starts a service on a free port again if another program took the port before the service listened. */
const startOnFreePort = async (options: LatchkeyConfiguration, attempts = maxStarts): Promise<Started> => {
  try {
    return await start(options);
  } catch (error) {
    if (attempts === 1 || options.server?.port || !isTaken(error)) throw error;
    return startOnFreePort(options, attempts - 1);
  }
};

/**
 * Starts the complete service in this process. By default it listens on free ports, stores users in memory, records
 * mails in an array, and has one key and one administrator. Rejects with a ConfigurationError that lists all problems, or
 * with the error of a port that is not available.
 */
export const startLatchkey = async (options: LatchkeyConfiguration = {}): Promise<TestLatchkey> => {
  if (!isMapping(options)) throw new TypeError('the configuration is an object here, and not the path of a file');
  const { service, configuration, mailer } = await startOnFreePort(options);
  const credentials = keyOf(configuration.auth);
  return {
    url: service.url,
    adminUrl: service.adminUrl,
    mails: mailer.mails,
    nextMail: (to, timeoutMs = defaultMailTimeoutMs) => mailer.next(to, timeoutMs),
    credentials,
    client: createClient({ url: service.url, ...(credentials && { credentials }) }),
    admin: createAdminClient({ url: service.adminUrl, credentials: administratorOf(configuration.admin) }),
    stop: async () => {
      await service.stop();
      // Not by the service if the configuration has a mailer of its own.
      await mailer.close();
      // Clients in this process notice closed connections in the next turn; until then they would reuse them.
      await nextTurn();
    },
  };
};
