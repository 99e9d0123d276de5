import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { logLine, type Runtime } from '../../sdk/contract/http/runtime.ts';
import { Run } from '../process/run.ts';
import { runImage } from './image.ts';

/** The user of the image, who must be able to write what a test prepares. */
const userOfImage = 1000;

/** Who runs the container: the person who runs the tests, so that both can write; for root, the user of the image. */
const owner = (): string => {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return user === 0 ? `${userOfImage}:${userOfImage}` : `${user}:${group}`;
};

/** Gives a folder of root's to the user of the image. */
const handOver = async (folder: string): Promise<void> => {
  if (process.getuid?.() === 0) await promisify(execFile)('chown', ['-R', owner(), folder]);
};

/** A line that docker passed on, as the harness compares it. */
const readable = ({ level: _, time: __, msg, ...fields }: Run['log'][number]): string => logLine(String(msg), fields);

const warning = 40;

/** The ids of requests that are made only to be found in the log. */
const markers = new Set<unknown>();

/** Everything that was logged until now: up to the line of a request that is made to know where that is. */
const logUntilNow = async (run: Run, url: string): Promise<readonly string[]> => {
  const id = randomUUID();
  markers.add(id);
  await (await fetch(`${url}/until-now`, { headers: { 'X-Request-Id': id } })).text();
  await run.until(() => run.log.some(({ request }) => request === id));
  return run.log.filter(({ request }) => !markers.has(request)).map(readable);
};

/** Tells every line of a log, those that are there already and those that come. */
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

/** Sends the signal of `docker stop`; rejects when the container does not end with 0. */
const stop = async (run: Run): Promise<void> => {
  run.child.kill('SIGTERM');
  const end = await run.ended;
  if (end !== 0) throw new Error(`the container ended with ${end}: ${run.stderr}`);
};

/** Each service in a container of its own, with the network of this computer and the folder of its harness. */
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
