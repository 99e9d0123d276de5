import { spawnSync } from 'node:child_process';
import { mkdtempSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const exists = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;

/** Properties of the machine that affect the figures and may be published. */
export interface Machine {
  readonly cores: number;
  readonly node: string;
  readonly generator: 'wrk' | 'autocannon';
  /** Whether servers are pinned to core 0 and the load generator to core 1. */
  readonly pinned: boolean;
}

export const thisMachine = (): Machine => {
  const cores = availableParallelism();
  return {
    cores,
    node: process.version,
    generator: exists('wrk') ? 'wrk' : 'autocannon',
    pinned: cores > 1 && exists('taskset'),
  };
};

/** Pins this process, and by default its children, to core 1. */
export const pinToLoadCore = ({ pinned }: Machine): void => {
  if (pinned) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', String(process.pid)]);
};

/** The cores of a program: that of servers, that of the load generator, or both. */
export type Cores = 'server' | 'load' | 'both';

const lists: Readonly<Record<Cores, string>> = { server: '0', load: '1', both: '0,1' };

/**
 * A command line that pins a program to its cores if possible. `taskset` execs it, so the pid is that of the program.
 */
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

/** Creates a folder on a disk, because in memory a flush costs nothing. */
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
