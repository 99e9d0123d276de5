import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../benchmarks/free-port.ts';
import { Run } from '../process/run.ts';

/** The path of the Debian package, which is not in the PATH of normal users. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/** Whether nginx is installed. */
export const isInstalled = (): boolean => spawnSync('nginx', ['-v'], { env }).status === 0;

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

const reaches = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** A running nginx. */
export interface Nginx {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts nginx in a temporary folder with directives for its only server, and for the block around it. Resolves when it
 * accepts connections on 127.0.0.1.
 */
export const startNginx = async (directives: string, outerDirectives = 'access_log off;'): Promise<Nginx> => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-nginx-'));
  const port = await freePort();
  const places = temporary.map((name) => `  ${name}_temp_path ${join(folder, name)};`);
  const file = join(folder, 'nginx.conf');
  // One process, so that it can be stopped, and runs as the user of the tests.
  const configuration = `daemon off;
master_process off;
pid ${join(folder, 'pid')};
error_log stderr;
events {}
http {
  ${outerDirectives}
${places.join('\n')}
  server {
    listen 127.0.0.1:${port};
${directives}
  }
}
`;
  await writeFile(file, configuration);
  const run = new Run(
    spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', file], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const stop = async (): Promise<void> => {
    run.child.kill('SIGTERM');
    await run.ended;
    await rm(folder, { recursive: true });
  };
  let ended = false;
  void run.ended.then(() => {
    ended = true;
  });
  while (!ended) {
    if (await reaches(port)) return { port, stop };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await rm(folder, { recursive: true });
  throw new Error(`nginx did not start: ${run.stderr}`);
};
