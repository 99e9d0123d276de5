import { isIP } from 'node:net';
import {
  AbstractStartedContainer,
  GenericContainer,
  getContainerRuntimeClient,
  type StartedTestContainer,
  Wait,
} from 'testcontainers';
import { version } from '../../bootstrap/installed-package.ts';
import {
  type ApplicationKey,
  createAdminClient,
  createClient,
  type LatchkeyAdminClient,
  type LatchkeyClient,
} from '../client/index.ts';
import type { LatchkeyConfiguration } from './configuration.ts';
import { administratorOf, keyOf, withDefaults } from './defaults.ts';

const port = 8080;
const adminPort = 8081;
/** The path of the configuration in the image. It may hold JSON, which is YAML too. */
const configurationPath = '/etc/latchkey/latchkey.yaml';
const outbox = '/data/outbox';

/** The configuration in the container: listens on all interfaces, and accepts the name of the container's host. */
const documentOf = (
  { server, email, ...others }: LatchkeyConfiguration,
  containerHost: string,
): LatchkeyConfiguration => ({
  ...withDefaults({ ...others, email: { ...(email?.type === undefined && { directory: outbox }), ...email } }),
  server: {
    ...server,
    host: '0.0.0.0',
    port,
    adminHost: '0.0.0.0',
    adminPort,
    // The admin port always accepts IP addresses.
    adminHosts: [...(server?.adminHosts ?? []), ...(isIP(containerHost) === 0 ? [containerHost] : [])],
  },
});

/**
 * Latchkey as a Testcontainers container. By default it stores users in memory and mails in /data/outbox, and has one
 * key. `start` resolves when the service is ready.
 */
export class LatchkeyContainer extends GenericContainer {
  private configuration: LatchkeyConfiguration = {};

  /** `image` is by default `latchkey:VERSION`, with the version of this package. */
  constructor(image = `latchkey:${version}`) {
    super(image);
    this.withExposedPorts(port, adminPort).withWaitStrategy(
      Wait.forHttp('/readyz', adminPort, { abortOnContainerExit: true }),
    );
  }

  /** Sets the configuration, in the structure of the file. Ports and hosts in `server` are replaced. */
  withConfiguration(configuration: LatchkeyConfiguration): this {
    this.configuration = configuration;
    return this;
  }

  /** Starts the container. Rejects as Testcontainers does, also for an invalid configuration. */
  override async start(): Promise<StartedLatchkeyContainer> {
    const { info } = await getContainerRuntimeClient();
    const document = documentOf(this.configuration, info.containerRuntime.host);
    this.withCopyContentToContainer([{ content: JSON.stringify(document, null, 2), target: configurationPath }]);
    return new StartedLatchkeyContainer(await super.start(), keyOf(document.auth), administratorOf(document.admin));
  }
}

/** A mail in the outbox of a container, as `/outbox` on the admin port has it. */
export interface OutboxMail {
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly time: number | null;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The link that the recipient is asked to open first, then the others of the text. */
  readonly links: readonly string[];
}

const isOutbox = (answer: unknown): answer is { readonly mails: readonly OutboxMail[] } =>
  typeof answer === 'object' && answer !== null && 'mails' in answer && Array.isArray(answer.mails);

/** A running container with a ready service. */
export class StartedLatchkeyContainer extends AbstractStartedContainer {
  constructor(
    container: StartedTestContainer,
    /** The first key of `auth.keys`; undefined where `auth.type` is not `basic`. */
    readonly credentials: ApplicationKey | undefined,
    private readonly administrator: ApplicationKey,
  ) {
    super(container);
  }

  /** The URL of the service. */
  getUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(port)}`;
  }

  /** The URL of health, readiness and metrics. */
  getAdminUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(adminPort)}`;
  }

  /** A client with these credentials. */
  getClient(): LatchkeyClient {
    return createClient({ url: this.getUrl(), ...(this.credentials && { credentials: this.credentials }) });
  }

  /** A client of the administration with the first key of `admin.keys`. */
  getAdminClient(): LatchkeyAdminClient {
    return createAdminClient({ url: this.getAdminUrl(), credentials: this.administrator });
  }

  /** The newest 200 mails, the newest first. Rejects if the configuration has no outbox. */
  async outbox(): Promise<readonly OutboxMail[]> {
    const response = await fetch(`${this.getAdminUrl()}/outbox`, { headers: { Accept: 'application/json' } });
    const answer: unknown = response.ok ? await response.json() : undefined;
    if (isOutbox(answer)) return answer.mails;
    throw new Error(`the outbox answers ${response.status}; is email.type outbox?`);
  }
}
