/**
 * Forked by a test process: waits until that process ends, and then removes the remaining containers of its session of
 * Testcontainers. The argument is the id of the session.
 */
const [, , session] = process.argv;
const label = 'org.testcontainers.session-id';

const removeAll = async (): Promise<void> => {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const { dockerode } = (await getContainerRuntimeClient()).container;
  const left = await dockerode.listContainers({ all: true, filters: { label: [`${label}=${session}`] } });
  const removals = left.map(({ Id }) => dockerode.getContainer(Id).remove({ force: true, v: true }));
  await Promise.allSettled(removals);
};

/** Repeats the removal for 5 seconds, because containers that were requested last may appear later. */
const clear = async (): Promise<void> => {
  for (let round = 0; round < 10; round++) {
    await removeAll();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
};

// The parent may have ended while this process was starting.
if (process.connected) process.once('disconnect', clear);
else await clear();
