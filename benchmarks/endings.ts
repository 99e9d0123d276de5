/** What has to be undone when the bench ends, whatever ends it. */
type Ending = () => Promise<void> | void;

const endings = new Set<Ending>();
let isOver = false;

/** Registers an ending; the returned function runs it now instead, once. What is started after the end ends at once. */
export const atEnd = (ending: Ending): (() => Promise<void>) => {
  if (isOver) void ending();
  else endings.add(ending);
  return async () => {
    if (endings.delete(ending)) await ending();
  };
};

/** Whether the end has come: nothing new is worth starting. */
export const isEnding = (): boolean => isOver;

/** Runs every ending that is left, the last registered one first; none is left out because another one fails. */
export const endAll = async (): Promise<void> => {
  isOver = true;
  for (const ending of [...endings].reverse()) {
    endings.delete(ending);
    try {
      await ending();
    } catch (error) {
      process.stderr.write(`while ending: ${error instanceof Error ? error.message : 'failed'}\n`);
    }
  }
};

/** Lets Ctrl-C and a kill end what was started too. */
export const endOnSignals = (): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.stderr.write(`\n${signal}: ending what was started\n`);
      void endAll().finally(() => process.exit(130));
    });
  }
};
