import type { StartedTestContainer } from 'testcontainers';
import { startContainer } from '../tests/support/engines/containers.ts';
import { givenEndpoint } from '../tests/support/engines/endpoint-variables.ts';
import { engines } from '../tests/support/engines/engines.ts';
import { onExit } from './cleanup.ts';
import type { Machine } from './machine.ts';

/** The measured engines. */
export type BenchedEngine = 'mongodb' | 'dynamodb';

/** For DynamoDB Local, which accepts any region and credentials. */
export const region = 'eu-central-1';
export const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
export const credentialsEnvironment = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
};

/** A running engine. */
export interface OpenEngine {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Pins a container to the core of the load generator, so that the server has its own core. */
const pinToLoadCore = async (library: typeof import('testcontainers'), started: StartedTestContainer) => {
  const { container } = await library.getContainerRuntimeClient();
  await container.getById(started.getId()).update({ CpusetCpus: '1' });
};

/** Uses the engine that the environment names, or starts one in Docker; the error says what to do if neither works. */
export const openEngine = async (name: BenchedEngine, machine: Machine): Promise<OpenEngine> => {
  const engine = engines[name];
  const given = await givenEndpoint(engine);
  if (given !== undefined) return { endpoint: given, close: async () => {} };
  try {
    const library = await import('testcontainers');
    const started = await startContainer(engine.container(library).withExposedPorts(engine.port));
    const close = onExit(async () => {
      await started.stop();
    });
    if (machine.pinned) await pinToLoadCore(library, started);
    return { endpoint: await engine.ready(started.getHost(), started.getMappedPort(engine.port)), close };
  } catch (cause) {
    throw new Error(`${name} could not be started; start Docker, or set ${engine.variable}.`, { cause });
  }
};
