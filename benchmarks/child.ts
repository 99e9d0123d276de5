import { execFile } from 'node:child_process';
import { onExit } from './cleanup.ts';

/** How to run a program. */
interface Run {
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Time after which it is killed, in milliseconds. */
  readonly timeoutMs: number;
}

/** Runs a program and returns its standard output; rejects if it fails or exceeds its timeout. */
export const outputOf = (
  [command, args]: readonly [string, readonly string[]],
  { folder, environment = {}, timeoutMs }: Run,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = {
      ...(folder === undefined ? {} : { cwd: folder }),
      env: { ...process.env, ...environment },
      timeout: timeoutMs,
      maxBuffer: 16 * 1024 * 1024,
    };
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      void unregister();
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ended with ${error.code ?? error.signal}: ${(stdout + stderr).slice(-1_000)}`));
    });
    const unregister = onExit(() => {
      child.kill('SIGKILL');
    });
  });
