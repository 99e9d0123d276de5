import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../../application/ports/log.ts';
import { type Configuration, decodeConfiguration } from '../../bootstrap/configuration/index.ts';
import { startService } from '../../bootstrap/service.ts';
import { type ApplicationKey, createClient, type LatchkeyClient } from '../client/index.ts';
import type { LatchkeyConfiguration } from './configuration.ts';
import { withDefaults } from './defaults.ts';
import { type KeptMail, KeptMails } from './kept-mails.ts';

/** A service that runs in this process. */
export interface TestLatchkey {
  /** `http://127.0.0.1:PORT` of the service. */
  readonly url: string;
  /** `http://127.0.0.1:PORT` of health, readiness and metrics. */
  readonly adminUrl: string;
  /** The mails so far, oldest first; they stay out when the configuration names a mailer of its own. */
  readonly mails: readonly KeptMail[];
  /** The key that callers authenticate with: the first one of `auth.keys`. Undefined where `auth` is of another type. */
  readonly credentials: ApplicationKey | undefined;
  /** A client with these credentials. */
  readonly client: LatchkeyClient;
  /** Finishes what was accepted and frees the ports. Whatever was kept in memory is gone. */
  stop(): Promise<void>;
}

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

const logOf = async ({ logging }: Configuration): Promise<Log> =>
  logging.level === 'silent' ? silent : (await import('../../bootstrap/pino-log.ts')).openLog(logging.level);

/** The configuration of a service in this process: on free ports of this computer, and silent. */
const documentOf = ({ server, logging, ...others }: LatchkeyConfiguration): LatchkeyConfiguration => ({
  ...withDefaults(others),
  server: { host: '127.0.0.1', port: 0, adminPort: 0, ...server },
  logging: { level: 'off', ...logging },
});

/**
 * Starts the service in this process: on free ports, with users in memory, mails in an array and one key, unless the
 * configuration says otherwise. It is the service as it is deployed, over HTTP.
 * Rejects with a ConfigurationError that lists every problem, or with the error of a port that can't be had.
 */
export const startLatchkey = async (options: LatchkeyConfiguration = {}): Promise<TestLatchkey> => {
  const { configuration } = await decodeConfiguration('the configuration', documentOf(options), silent);
  const mailer = new KeptMails();
  // The outbox only stands for the mails that are kept: no file is written.
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
    credentials,
    client: createClient({ url: service.url, ...(credentials && { credentials }) }),
    stop: async () => {
      await service.stop();
      // Clients in this process see the end of their connections in the next turn; until then they would reuse them.
      await nextTurn();
    },
  };
};
