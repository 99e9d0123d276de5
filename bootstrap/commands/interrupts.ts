import { CommandError } from './command-errors.ts';
import { type Command, exitStatus } from './command-line.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const received = new Set<NodeJS.Signals>();

/** Ends the process, and says so. */
const end = (during = ''): never => {
  process.stderr.write(`latchkey: interrupted${during}\n`);
  process.exit(exitStatus.failed);
};

/** What the next signal does. */
let interrupt: () => void = end;

/**
 * A command that a signal or a closed terminal ends at once with a message, except during work that `onInterrupt` stops;
 * the same signal again ends also that, except SIGHUP.
 */
export const interruptible =
  (command: Command): Command =>
  async (args) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      const isRepeated = received.has(signal);
      received.add(signal);
      // A shell and its terminal each send it when the window is closed.
      if (isRepeated && signal === 'SIGHUP') return;
      if (isRepeated) end();
      interrupt();
    };
    for (const signal of signals) process.on(signal, onSignal);
    try {
      return await command(args);
    } finally {
      for (const signal of signals) process.off(signal, onSignal);
    }
  };

/** Calls `stop` when a signal interrupts the command. Returns a function that restores what a signal did before. */
export const onInterrupt = (stop: () => void = () => undefined): (() => void) => {
  const former = interrupt;
  interrupt = stop;
  return () => {
    interrupt = former;
  };
};

/** Opens what a command works on; a signal ends the process and says what was being opened. */
export const whileOpening = async <Opened>(what: string, open: () => Promise<Opened>): Promise<Opened> => {
  const restoreSignals = onInterrupt(() => end(` while opening ${what}`));
  try {
    return await open();
  } finally {
    restoreSignals();
  }
};

/** Whether a signal has interrupted the command of this process. */
export const isInterrupted = (): boolean => received.size > 0;

/** Throws a CommandError with `message` if a signal has interrupted the command of this process. */
export const requireUninterrupted = (message: string): void => {
  if (isInterrupted()) throw new CommandError(message);
};
