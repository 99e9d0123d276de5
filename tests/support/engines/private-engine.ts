import { createServer } from 'node:net';
import type { GenericContainer } from 'testcontainers';
import { eventually } from '../recovery.ts';
import { startContainer } from './containers.ts';
import { type EngineName, engines } from './engines.ts';

/** A container of an engine that belongs to one suite. Its endpoint stays the same when it is stopped and started. */
export interface PrivateEngine {
  readonly endpoint: string;
  readonly host: string;
  readonly port: number;
  /** Ends it at once, as a crash does. Connections are refused until it is started. */
  stop(): Promise<void>;
  /** Starts it after a stop; it may take a moment until it answers. */
  start(): Promise<void>;
  /** Freezes it: connections stay open, and nothing answers. */
  pause(): Promise<void>;
  /** Ends a pause. */
  resume(): Promise<void>;
  /** Runs a command inside it; rejects when the command fails. */
  run(...command: string[]): Promise<void>;
  remove(): Promise<void>;
}

/** Differences from the engine as all suites share it. */
export interface PrivateSettings {
  readonly adjust?: (container: GenericContainer) => GenericContainer;
  /** What makes it ready after its start, instead of what does for the shared one. */
  readonly ready?: (host: string, port: number) => Promise<string>;
}

/** A port that was free a moment ago: Docker chooses another one at each start, unless it is told which. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('no port is free'));
      });
    });
  });

/** Starts a container of an engine in Docker. */
export const startPrivately = async (name: EngineName, settings: PrivateSettings = {}): Promise<PrivateEngine> => {
  const engine = engines[name];
  const library = await import('testcontainers');
  const { adjust = (container) => container, ready = engine.ready } = settings;
  const port = await freePort();
  const started = await startContainer(
    adjust(engine.container(library)).withExposedPorts({ container: engine.port, host: port }),
  );
  const container = (await library.getContainerRuntimeClient()).container.getById(started.getId());
  const remove = () => container.remove({ force: true, v: true });
  try {
    const host = started.getHost();
    return {
      endpoint: await ready(host, port),
      host,
      port,
      stop: () => container.kill(),
      start: () => container.start(),
      // The kernel does not always freeze a busy process at the first attempt.
      pause: () => eventually(() => container.pause(), 5_000),
      resume: () => container.unpause(),
      run: async (...command) => {
        const { exitCode, output } = await started.exec(command);
        if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}: ${output}`);
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
};
