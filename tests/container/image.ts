import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { skipSuite } from '../support/engines/skipped-suites.ts';

const run = promisify(execFile);

/** The image that the tests run; `npm run test:container` builds it from the sources. */
export const image = process.env.LATCHKEY_IMAGE ?? 'latchkey';

/** The restrictions of a strict orchestrator: only /data and /tmp are writable, and there are no privileges. */
const confined = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

/** Runs a `docker` command. Resolves with its output; rejects with its error. */
export const docker = async (...command: readonly string[]): Promise<string> =>
  (await run('docker', [...command])).stdout.trim();

/**
 * Runs the image with these restrictions. The returned process forwards signals and output. `flags` are those of
 * `docker run`; `command` are the arguments of the image.
 */
export const runImage = (flags: readonly string[], command: readonly string[] = []): ChildProcess =>
  spawn('docker', ['run', '--rm', ...confined, ...flags, image, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });

/** Skips the suite if the image does not exist; fails it where engines are required. */
export const needsImage = (): void => {
  before(`look for the image ${image}`, async function () {
    try {
      await docker('image', 'inspect', image);
    } catch {
      skipSuite(this, `there is no image ${image}, or no Docker`);
    }
  });
};
