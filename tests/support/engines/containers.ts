import { fork } from 'node:child_process';

/**
 * Has the containers of this run removed when its process is gone, also after Ctrl-C or a crash. Ryuk, a container of
 * Testcontainers, does that; where it is switched off, a process that outlives this one does.
 */
const guard = async (): Promise<void> => {
  const { getReaper, getContainerRuntimeClient } = await import('testcontainers');
  const { sessionId } = await getReaper(await getContainerRuntimeClient());
  if (process.env.TESTCONTAINERS_RYUK_DISABLED !== 'true') return;
  // Detached, so that Ctrl-C doesn't end it too.
  const remover = fork(new URL('./remover.ts', import.meta.url), [sessionId], { detached: true, stdio: 'ignore' });
  remover.unref();
  remover.channel?.unref();
};

let guarded: Promise<void> | undefined;

/** Starts a container that doesn't outlive the run; rejects when Docker can't be reached or has no such image. */
export const startContainer = async <Started>(container: { start(): Promise<Started> }): Promise<Started> => {
  guarded ??= guard();
  await guarded;
  return container.start();
};
