import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { logLine, type Runtime } from '../../sdk/contract/http/service-runtime.ts';
import { Run } from '../process/run.ts';
import { runImage } from './image.ts';

/** The user of the image, who must be able to write the folders of tests. */
const userOfImage = 1000;

/** The user of the container: the user of the tests, so that both can write; instead of root, the user of the image. */
const owner = (): string => {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return user === 0 ? `${userOfImage}:${userOfImage}` : `${user}:${group}`;
};

/** Changes the owner of a folder from root to the user of the image. */
const handOver = async (folder: string): Promise<void> => {
  if (process.getuid?.() === 0) await promisify(execFile)('chown', ['-R', owner(), folder]);
};

/** A log line from docker in the form that the harness compares. */
const readable = ({ level: _, time: __, msg, ...fields }: Run['log'][number]): string => logLine(String(msg), fields);

const warning = 40;

/** Request ids of the marker requests. */
const markers = new Set<unknown>();

/** The log so far, up to the line of a marker request that is sent for this. */
const logUntilNow = async (run: Run, url: string): Promise<readonly string[]> => {
  const id = randomUUID();
  markers.add(id);
  await (await fetch(`${url}/until-now`, { headers: { 'X-Request-Id': id } })).text();
  await run.until(() => run.log.some(({ request }) => request === id));
  return run.log.filter(({ request }) => !markers.has(request)).map(readable);
};

/** Reports every line of a log, past and future. */
const tellLines = (run: Run, addOutput: (line: string) => void): void => {
  let told = 0;
  const tell = (): void => {
    const lines = run.log.slice(told);
    told += lines.length;
    for (const line of lines) addOutput(readable(line));
  };
  tell();
  run.child.stdout?.on('data', tell);
};

/** Stops the container. Rejects when it does not exit with 0. */
const stop = async (run: Run): Promise<void> => {
  run.child.kill('SIGTERM');
  const end = await run.ended;
  if (end !== 0) throw new Error(`the container ended with ${end}: ${run.stderr}`);
};

/** Runs each service in its own container, with the host's network and the folder of the harness. */
export const inContainers: Runtime = {
  takesStores: false,
  folder: () => mkdtemp(join(tmpdir(), 'latchkey-container-')),
  start: async ({ folder, file }, _, addOutput) => {
    await handOver(folder);
    const reach = ['--network', 'host', '--volume', `${folder}:${folder}`, '--workdir', folder];
    const run = new Run(runImage([...reach, '--no-healthcheck', '--user', owner()], ['serve', file]));
    await run.until(() => run.log.some(({ msg }) => msg === 'listening'));
    tellLines(run, addOutput);
    const listening = run.log.find(({ msg }) => msg === 'listening');
    const url = String(listening?.url);
    return {
      url,
      adminUrl: String(listening?.admin),
      warnings: run.log.filter(({ level }) => level === warning).map(({ msg }) => String(msg)),
      log: () => logUntilNow(run, url),
      stop: () => stop(run),
    };
  },
};
