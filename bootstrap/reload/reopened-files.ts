import cluster from 'node:cluster';

const message = 'reopen files';
const reopening = new Set<() => void>();

/** Calls `reopen` when files are opened again, until the returned function is called. */
export const onReopen = (reopen: () => void): (() => void) => {
  reopening.add(reopen);
  return () => void reopening.delete(reopen);
};

/** Opens files that were renamed again, in this process and in its workers. */
export const reopenFiles = (): void => {
  for (const reopen of reopening) reopen();
  // One that exits needs no message.
  for (const worker of Object.values(cluster.workers ?? {}))
    if (worker?.isConnected()) worker.send(message, () => undefined);
};

/** Opens the files of a worker again when the primary says so. */
export const reopenFilesOnMessage = (): void => {
  process.on('message', (received) => {
    if (received === message) reopenFiles();
  });
};
