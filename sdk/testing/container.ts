import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
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

const exitPollMs = 250;
const shownLogLines = 50;

/**
 * Why a container has ended, with its last lines; undefined while it runs, or if Testcontainers, which read them then, has
 * removed it.
 */
const endOf = async (id: string): Promise<Error | undefined> => {
  try {
    const { container } = await getContainerRuntimeClient();
    const ended = container.getById(id);
    const { State: state } = await container.inspect(ended);
    if (state.Status !== 'exited' && state.Status !== 'dead') return undefined;
    const lines = (await text(await container.logs(ended, { tail: shownLogLines }))).trim();
    return lines === '' ? undefined : new Error(`Latchkey exited with status ${state.ExitCode}:\n${lines}`);
  } catch {
    return undefined;
  }
};

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
  private createdId: string | undefined;

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

  /**
   * Starts the container. Rejects as Testcontainers does, and if the service ends, such as for an invalid configuration, with
   * the last lines of its log.
   */
  override async start(): Promise<StartedLatchkeyContainer> {
    const { info } = await getContainerRuntimeClient();
    const document = documentOf(this.configuration, info.containerRuntime.host);
    this.withCopyContentToContainer([{ content: JSON.stringify(document, null, 2), target: configurationPath }]);
    const started = await this.startOrEnd();
    return new StartedLatchkeyContainer(started, keyOf(document.auth), administratorOf(document.admin));
  }

  protected override async containerCreated(id: string): Promise<void> {
    this.createdId = id;
  }

  /**
   * Testcontainers waits for the ports of a container before it notices that the container has ended. One that ends within
   * a moment never has them, so that it would report a timeout after ten seconds instead.
   */
  private async startOrEnd(): Promise<StartedTestContainer> {
    this.createdId = undefined;
    const settled = new AbortController();
    try {
      return await Promise.race([super.start(), this.rejectAtEnd(settled.signal)]);
    } catch (error) {
      throw (this.createdId && (await endOf(this.createdId))) || error;
    } finally {
      settled.abort();
    }
  }

  private async rejectAtEnd(signal: AbortSignal): Promise<never> {
    for (;;) {
      await sleep(exitPollMs, undefined, { signal });
      const end = this.createdId && (await endOf(this.createdId));
      if (end) throw end;
    }
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
