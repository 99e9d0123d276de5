import { fork } from 'node:child_process';

/**
 * Makes sure that the containers of this run are removed when its process ends, also after Ctrl-C or a crash. Ryuk, a
 * container of Testcontainers, does that. Where it is disabled, a detached process does.
 */
const startRemover = async (): Promise<void> => {
  const { getReaper, getContainerRuntimeClient } = await import('testcontainers');
  const { sessionId } = await getReaper(await getContainerRuntimeClient());
  if (process.env.TESTCONTAINERS_RYUK_DISABLED !== 'true') return;
  // Detached, so that Ctrl-C does not stop it.
  const remover = fork(new URL('./remove-containers.ts', import.meta.url), [sessionId], {
    detached: true,
    stdio: 'ignore',
  });
  remover.unref();
  remover.channel?.unref();
};

let removerStarted: Promise<void> | undefined;

/** Starts a container that is removed after the run. Rejects when Docker is unreachable or cannot get the image. */
export const startContainer = async <Started>(container: { start(): Promise<Started> }): Promise<Started> => {
  removerStarted ??= startRemover();
  await removerStarted;
  return container.start();
};
