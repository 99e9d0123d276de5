import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../../application/ports/log.ts';
import { type Configuration, decodeConfiguration } from '../../bootstrap/configuration/index.ts';
import { startService } from '../../bootstrap/service.ts';
import { type ApplicationKey, createClient, type LatchkeyClient } from '../client/index.ts';
import type { LatchkeyConfiguration } from './configuration.ts';
import { withDefaults } from './defaults.ts';
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
   * recovery are sent after the response. Rejects if none arrives within `timeoutMs`, by default 4,000.
   */
  nextMail(to: string, timeoutMs?: number): Promise<RecordedMail>;
  /** The first key of `auth.keys`; undefined where `auth.type` is not `basic`. */
  readonly credentials: ApplicationKey | undefined;
  /** A client with these credentials. */
  readonly client: LatchkeyClient;
  /** Finishes accepted requests, and frees the ports. Data in memory is lost. */
  stop(): Promise<void>;
}

/** Longer than the random delay of a recovery, and shorter than the default timeout of tests in vitest and Jest. */
const defaultMailTimeoutMs = 4_000;

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

const logOf = async ({ logging }: Configuration): Promise<Log> =>
  logging.level === 'silent' ? silent : (await import('../../bootstrap/log-output.ts')).openLog(logging.level);

/** Adds the defaults for a service in this process: free ports on 127.0.0.1, and no log. */
const documentOf = ({ server, logging, ...others }: LatchkeyConfiguration): LatchkeyConfiguration => ({
  ...withDefaults(others),
  server: { host: '127.0.0.1', port: 0, adminPort: 0, ...server },
  logging: { level: 'off', ...logging },
});

/**
 * Starts the complete service in this process. By default it listens on free ports, stores users in memory, records
 * mails in an array, and has one key. Rejects with a ConfigurationError that lists all problems, or with the error of a
 * port that is not available.
 */
export const startLatchkey = async (options: LatchkeyConfiguration = {}): Promise<TestLatchkey> => {
  const { configuration } = await decodeConfiguration('the configuration', documentOf(options), silent);
  const mailer = new MailRecorder();
  // The configured outbox only enables mails; they are recorded, and no file is written.
  const email =
    configuration.email === null || options.email?.type !== undefined
      ? configuration.email
      : { ...configuration.email, open: async () => mailer };
  const service = await startService({ ...configuration, email }, await logOf(configuration));
  const credentials = configuration.auth?.type === 'basic' ? configuration.auth.keys[0] : undefined;
  return {
    url: service.url,
    adminUrl: service.adminUrl,
    mails: mailer.mails,
    nextMail: (to, timeoutMs = defaultMailTimeoutMs) => mailer.next(to, timeoutMs),
    credentials,
    client: createClient({ url: service.url, ...(credentials && { credentials }) }),
    stop: async () => {
      await service.stop();
      // Clients in this process notice closed connections in the next turn; until then they would reuse them.
      await nextTurn();
    },
  };
};
