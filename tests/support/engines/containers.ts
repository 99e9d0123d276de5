import { fork } from 'node:child_process';

/**
 * Makes sure that the containers of this run are removed when its process ends, also after Ctrl-C or a crash. Ryuk, a
 * container of Testcontainers, does that. Where it is disabled, a detached process does. Resolves with the session id.
 */
const startRemover = async (): Promise<string> => {
  const { getReaper, getContainerRuntimeClient } = await import('testcontainers');
  const { sessionId } = await getReaper(await getContainerRuntimeClient());
  if (process.env.TESTCONTAINERS_RYUK_DISABLED !== 'true') return sessionId;
  // Detached, so that Ctrl-C does not stop it.
  const remover = fork(new URL('./remove-containers.ts', import.meta.url), [sessionId], {
    detached: true,
    stdio: 'ignore',
  });
  remover.unref();
  remover.channel?.unref();
  return sessionId;
};

let removerStarted: Promise<string> | undefined;

/** The label of containers that are removed after the run, for a `docker run`. Rejects when Docker is unreachable. */
export const sessionLabel = async (): Promise<string> => {
  removerStarted ??= startRemover();
  return `org.testcontainers.session-id=${await removerStarted}`;
};

/** Starts a container that is removed after the run. Rejects when Docker is unreachable or cannot get the image. */
export const startContainer = async <Started>(container: { start(): Promise<Started> }): Promise<Started> => {
  await sessionLabel();
  return container.start();
};
