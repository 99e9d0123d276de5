import { spawnSync } from 'node:child_process';
import { mkdtempSync, statfsSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const exists = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;

/** What the figures depend on, as far as it may be told. */
export interface Machine {
  readonly cores: number;
  readonly node: string;
  readonly generator: 'wrk' | 'autocannon';
  /** Whether servers run on core 0 and the load comes from core 1. */
  readonly pinned: boolean;
  /** Whether other programs kept it busy during the last minute: ratios are worth little then. */
  readonly busy: boolean;
}

/** How many programs wait for a core, on average over a minute, before the machine counts as busy. */
const busyFrom = 0.7;

export const thisMachine = (): Machine => {
  const cores = availableParallelism();
  return {
    cores,
    node: process.version,
    generator: exists('wrk') ? 'wrk' : 'autocannon',
    pinned: cores > 1 && exists('taskset'),
    busy: (loadavg()[0] ?? 0) >= busyFrom,
  };
};

/** Moves this process to core 1; the programs that it starts stay there too, unless they are told otherwise. */
export const keepToLoadCore = ({ pinned }: Machine): void => {
  if (pinned) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', String(process.pid)]);
};

/** Which cores a program gets: that of the servers, that of the load, or both of them. */
export type Cores = 'server' | 'load' | 'both';

const lists: Readonly<Record<Cores, string>> = { server: '0', load: '1', both: '0,1' };

/** A command line that keeps a program to its cores where that can be had. `taskset` becomes the program: the pid is its own. */
export const onCores = (
  { pinned }: Machine,
  cores: Cores,
  command: readonly string[],
): readonly [string, readonly string[]] => {
  const [program = '', ...args] = pinned ? ['taskset', '--cpu-list', lists[cores], ...command] : command;
  return [program, args];
};

/** https://man7.org/linux/man-pages/man2/statfs.2.html: TMPFS_MAGIC, RAMFS_MAGIC. */
const memoryFileSystems: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/** Makes a fresh folder on a disk: in memory a flush would cost nothing. */
export const freshFolder = (): string => {
  const places = [tmpdir(), '/var/tmp', root].filter((place) => {
    try {
      return !memoryFileSystems.has(statfsSync(place).type);
    } catch {
      return false;
    }
  });
  const [place] = places;
  if (place === undefined) throw new Error('no folder on a disk was found for the databases');
  return mkdtempSync(join(place, 'latchkey-bench-'));
};
