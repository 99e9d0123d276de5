import { createServer } from 'node:net';
import type { GenericContainer } from 'testcontainers';
import { eventually } from '../eventually.ts';
import { startContainer } from './containers.ts';
import { type EngineName, engines } from './engines.ts';

/** A container for one suite. Its endpoint stays the same when it is restarted. */
export interface PrivateEngine {
  readonly endpoint: string;
  readonly host: string;
  readonly port: number;
  /** Kills it. Connections are refused until it is started. */
  stop(): Promise<void>;
  /** Starts it again; it may take a moment until it responds. */
  start(): Promise<void>;
  /** Freezes it: connections stay open without responses. */
  pause(): Promise<void>;
  /** Ends the pause. */
  resume(): Promise<void>;
  /** Runs a command inside it; rejects when the command fails. */
  run(...command: string[]): Promise<void>;
  remove(): Promise<void>;
}

/** Differences from the shared engine. */
export interface PrivateSettings {
  readonly adjust?: (container: GenericContainer) => GenericContainer;
  /** Prepares the started engine, instead of `Engine.ready`. */
  readonly ready?: (host: string, port: number) => Promise<string>;
}

/** A free port. Given to Docker explicitly, because it would choose another one at each start. */
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
      // Freezing a busy process can fail at the first attempt.
      pause: () => eventually(() => container.pause(), 5_000),
      resume: () => container.unpause(),
      run: async (...command) => {
        const { exitCode, output } = await started.exec(command);
        if (exitCode !== 0) throw new Error(`${command[0]} exited with ${exitCode}: ${output}`);
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
};
