import type { StartedTestContainer } from 'testcontainers';
import { engines } from '../tests/engines/engines.ts';
import { atEnd } from './endings.ts';
import type { Machine } from './machine.ts';

/** The engines that the bench reads from, with the variable of the environment that names one to use instead of a container. */
const variables = { mongodb: 'MONGODB_URI', dynamodb: 'DYNAMODB_ENDPOINT' } as const;

export type BenchedEngine = keyof typeof variables;

/** An engine that answers: where it is, and how it is left. */
export interface OpenEngine {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Keeps a container to the core of the load, so that the server has its own to itself. */
const keepToLoadCore = async (library: typeof import('testcontainers'), started: StartedTestContainer) => {
  const { container } = await library.getContainerRuntimeClient();
  await container.getById(started.getId()).update({ CpusetCpus: '1' });
};

/** Starts an engine in Docker, or takes the one that the environment names. Rejects with what to do about it. */
export const openEngine = async (name: BenchedEngine, machine: Machine): Promise<OpenEngine> => {
  const given = process.env[variables[name]];
  if (given) return { endpoint: given, close: async () => {} };
  const engine = engines[name];
  try {
    const library = await import('testcontainers');
    const started = await engine.container(library).withExposedPorts(engine.port).start();
    const close = atEnd(async () => {
      await started.stop();
    });
    if (machine.pinned) await keepToLoadCore(library, started);
    return { endpoint: await engine.ready(started.getHost(), started.getMappedPort(engine.port)), close };
  } catch {
    throw new Error(`${name} could not be started; start Docker, or set ${variables[name]}.`);
  }
};
