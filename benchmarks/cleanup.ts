/** An action to run when the benchmark ends, for any reason. */
type Cleanup = () => Promise<void> | void;

const cleanups = new Set<Cleanup>();
let isShuttingDown = false;

/** Registers a cleanup; the returned function runs it early, once. After the end, cleanups run immediately. */
export const onExit = (cleanup: Cleanup): (() => Promise<void>) => {
  if (isShuttingDown) void cleanup();
  else cleanups.add(cleanup);
  return async () => {
    if (cleanups.delete(cleanup)) await cleanup();
  };
};

/** Whether the benchmark is ending, so that nothing new may start. */
export const isExiting = (): boolean => isShuttingDown;

/** Runs the remaining cleanups, the last registered first, even if some fail. */
export const runCleanups = async (): Promise<void> => {
  isShuttingDown = true;
  for (const cleanup of [...cleanups].reverse()) {
    cleanups.delete(cleanup);
    try {
      await cleanup();
    } catch (error) {
      process.stderr.write(`cleanup failed: ${error instanceof Error ? error.message : 'failed'}\n`);
    }
  }
};

/** Runs the cleanups on SIGINT, SIGTERM and SIGHUP, then exits. */
export const exitOnSignals = (): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.stderr.write(`\n${signal}: stopping\n`);
      void runCleanups().finally(() => process.exit(130));
    });
  }
};
