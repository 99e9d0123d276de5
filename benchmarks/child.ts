import { execFile } from 'node:child_process';
import { atEnd } from './endings.ts';

/** How a program is run to its end. */
export interface Run {
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** When it is killed, in milliseconds. */
  readonly patience: number;
}

/** Runs a program to its end; resolves with its standard output, rejects when it fails or takes too long. */
export const outputOf = (
  [command, args]: readonly [string, readonly string[]],
  { folder, environment = {}, patience }: Run,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = {
      ...(folder === undefined ? {} : { cwd: folder }),
      env: { ...process.env, ...environment },
      timeout: patience,
      maxBuffer: 16 * 1024 * 1024,
    };
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      void forget();
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ended with ${error.code ?? error.signal}: ${(stdout + stderr).slice(-1_000)}`));
    });
    const forget = atEnd(() => {
      child.kill('SIGKILL');
    });
  });
