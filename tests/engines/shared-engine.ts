import type { StartedTestContainer } from 'testcontainers';
import { startContainer } from './containers.ts';
import type { Engine } from './engines.ts';
import { givenEndpoint } from './given-engine.ts';

/** An engine that is started at most once in a run, when it is asked for first. */
export class SharedEngine {
  private started: Promise<string> | undefined;
  private container: StartedTestContainer | undefined;

  /** `given` is the endpoint of an engine that runs already; without it the engine is started in Docker. */
  constructor(
    private readonly engine: Engine,
    readonly given: string | undefined,
  ) {}

  /** The endpoint; rejects when the engine can't be had. */
  start(): Promise<string> {
    this.started ??= this.given === undefined ? this.startInDocker() : givenEndpoint(this.engine, this.given);
    // Whoever waits for the engine hears of it; nobody may be waiting yet.
    this.started.catch(() => undefined);
    return this.started;
  }

  async stop(): Promise<void> {
    await this.started?.catch(() => undefined);
    await this.container?.stop();
  }

  private async startInDocker(): Promise<string> {
    const container = this.engine.container(await import('testcontainers'));
    this.container = await startContainer(container.withExposedPorts(this.engine.port));
    return this.engine.ready(this.container.getHost(), this.container.getMappedPort(this.engine.port));
  }
}
