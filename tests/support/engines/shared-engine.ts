import { startContainer } from './containers.ts';
import type { Engine, EngineName } from './engines.ts';

const endpoints = new Map<EngineName, Promise<string>>();

const start = async (engine: Engine): Promise<string> => {
  const container = engine.container(await import('testcontainers'));
  const started = await startContainer(container.withExposedPorts(engine.port));
  return engine.ready(started.getHost(), started.getMappedPort(engine.port));
};

/**
 * The endpoint of an engine in Docker that all suites of this process share. Starts it on first use; it is removed when
 * the process ends. Rejects when it cannot be started.
 */
export const sharedEndpoint = (engine: Engine): Promise<string> => {
  const endpoint = endpoints.get(engine.name) ?? start(engine);
  endpoints.set(engine.name, endpoint);
  return endpoint;
};
