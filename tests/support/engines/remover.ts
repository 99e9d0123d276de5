/**
 * A process that waits for the end of the one that forked it, and then removes the containers of a session of
 * Testcontainers, the argument, as far as they are still there.
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

/** Removes what is there, and for 5 seconds what was asked for in the last moment and appears after the end. */
const clear = async (): Promise<void> => {
  for (let round = 0; round < 10; round++) {
    await removeAll();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
};

// The end may have come while this process was starting.
if (process.connected) process.once('disconnect', clear);
else await clear();
