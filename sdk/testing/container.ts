import { isIP } from 'node:net';
import {
  AbstractStartedContainer,
  GenericContainer,
  getContainerRuntimeClient,
  type StartedTestContainer,
  Wait,
} from 'testcontainers';
import { version } from '../../bootstrap/installed-package.ts';
import { type ApplicationKey, createClient, type LatchkeyClient } from '../client/index.ts';
import type { LatchkeyConfiguration } from './configuration.ts';
import { keyOf, withDefaults } from './defaults.ts';

const port = 8080;
const adminPort = 8081;
/** Where the image looks for its configuration; JSON is YAML too. */
const configurationPath = '/etc/latchkey/latchkey.yaml';
const outbox = '/data/outbox';

/** The configuration of a service in a container: ports that can be reached from outside, by the name of its host. */
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
    // The admin port accepts IP addresses anyway.
    adminHosts: [...(server?.adminHosts ?? []), ...(isIP(containerHost) === 0 ? [containerHost] : [])],
  },
});

/**
 * Latchkey as a container of Testcontainers: with users in memory, mails in /data/outbox and one key, unless the
 * configuration says otherwise. It has started when the service is ready.
 */
export class LatchkeyContainer extends GenericContainer {
  private configuration: LatchkeyConfiguration = {};

  /** `image` is the one of this version of the package by default: `latchkey:VERSION`. */
  constructor(image = `latchkey:${version}`) {
    super(image);
    this.withExposedPorts(port, adminPort).withWaitStrategy(
      Wait.forHttp('/readyz', adminPort, { abortOnContainerExit: true }),
    );
  }

  /** The configuration file of the service, as an object. Ports and hosts of the block `server` are the container's own. */
  withConfiguration(configuration: LatchkeyConfiguration): this {
    this.configuration = configuration;
    return this;
  }

  /** Starts the container. Rejects as Testcontainers does, also when the service refuses its configuration. */
  override async start(): Promise<StartedLatchkeyContainer> {
    const { info } = await getContainerRuntimeClient();
    const document = documentOf(this.configuration, info.containerRuntime.host);
    this.withCopyContentToContainer([{ content: JSON.stringify(document, null, 2), target: configurationPath }]);
    return new StartedLatchkeyContainer(await super.start(), keyOf(document.auth));
  }
}

/** A container whose service is ready. */
export class StartedLatchkeyContainer extends AbstractStartedContainer {
  constructor(
    container: StartedTestContainer,
    /** The key that callers authenticate with, as the configuration names it; undefined where `auth` is of another type. */
    readonly credentials: ApplicationKey | undefined,
  ) {
    super(container);
  }

  /** Where the service is reached from this process. */
  getUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(port)}`;
  }

  /** Where health, readiness and metrics are reached from this process. */
  getAdminUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(adminPort)}`;
  }

  /** A client with these credentials. */
  getClient(): LatchkeyClient {
    return createClient({ url: this.getUrl(), ...(this.credentials && { credentials: this.credentials }) });
  }
}
