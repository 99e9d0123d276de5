import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The image that the tests run; `npm run test:container` builds it from the sources. */
export const image = process.env.LATCHKEY_IMAGE ?? 'latchkey';

/** As an orchestrator with strict rules would run it: nothing can be written but /data and /tmp, and nothing is privileged. */
const confined = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

/** What `docker` prints to a command; rejects with what it says when the command fails. */
export const docker = async (...command: readonly string[]): Promise<string> =>
  (await run('docker', [...command])).stdout.trim();

/**
 * Runs the image, confined, until its process ends. The process that is returned passes signals on to it, and writes
 * what it writes. `flags` are those of `docker run`, `command` is what the image is given.
 */
export const runImage = (flags: readonly string[], command: readonly string[] = []): ChildProcess =>
  spawn('docker', ['run', '--rm', ...confined, ...flags, image, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
