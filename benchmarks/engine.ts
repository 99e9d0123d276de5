import type { StartedTestContainer } from 'testcontainers';
import { startContainer } from '../tests/support/engines/containers.ts';
import { engines } from '../tests/support/engines/engines.ts';
import { givenEndpoint } from '../tests/support/engines/given-engine.ts';
import { atEnd } from './endings.ts';
import type { Machine } from './machine.ts';

/** The engines that the bench reads from. */
export type BenchedEngine = 'mongodb' | 'dynamodb';

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

/** Takes the engine that the environment names, or starts one in Docker. Rejects with what to do about it. */
export const openEngine = async (name: BenchedEngine, machine: Machine): Promise<OpenEngine> => {
  const engine = engines[name];
  const given = await givenEndpoint(engine);
  if (given !== undefined) return { endpoint: given, close: async () => {} };
  try {
    const library = await import('testcontainers');
    const started = await startContainer(engine.container(library).withExposedPorts(engine.port));
    const close = atEnd(async () => {
      await started.stop();
    });
    if (machine.pinned) await keepToLoadCore(library, started);
    return { endpoint: await engine.ready(started.getHost(), started.getMappedPort(engine.port)), close };
  } catch (cause) {
    throw new Error(`${name} could not be started; start Docker, or set ${engine.variable}.`, { cause });
  }
};
