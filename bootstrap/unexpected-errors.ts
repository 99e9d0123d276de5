import { stackFrames } from '../application/fault.ts';
import type { Log } from '../application/ports/log.ts';
import { exitStatus } from './commands/command-line.ts';

/** An error that is a bug, without its message: that of an unknown error may contain a secret. */
interface UnexpectedError {
  readonly name: string;
  /** The code of Node.js or of the system, such as `ENOSPC`. */
  readonly code: string | undefined;
  readonly at: readonly string[] | undefined;
}

const describe = (error: unknown): UnexpectedError => {
  if (!(error instanceof Error)) return { name: typeof error, code: undefined, at: undefined };
  const code = 'code' in error && /^[A-Z][A-Z\d_]+$/.test(String(error.code)) ? String(error.code) : undefined;
  return { name: error.name, code, at: stackFrames(error, 5) };
};

const print = (_kind: string, { name, code, at = [] }: UnexpectedError): void => {
  const lines = [`latchkey: unexpected error: ${code === undefined ? name : `${name} (${code})`}`, ...at];
  process.stderr.write(`${lines.join('\n    ')}\n`);
};

let report = print;

const exit =
  (kind: string) =>
  (error: unknown): never => {
    report(kind, describe(error));
    process.exit(exitStatus.failed);
  };

/** Prints an unexpected error as one line and a short trace, and ends the process. */
export const exitOnBug = exit('uncaught exception');

/**
 * Ends the process after an error that nothing handles, because its state is unknown; a supervisor starts a new one.
 * Node.js would also print the line of the compiled program.
 */
export const exitOnBugs = (): void => {
  process.on('unhandledRejection', exit('unhandled rejection'));
  process.on('uncaughtException', exitOnBug);
};

/** Reports later unexpected errors as lines of a log. */
export const logBugs = (log: Log): void => {
  report = (kind, error) => log.error({ ...error }, kind);
};
