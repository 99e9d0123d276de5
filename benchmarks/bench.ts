import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onExit } from './cleanup.ts';
import { freshFolder, type Machine } from './machine.ts';
import type { SectionResult } from './results.ts';

/** How much is measured. */
interface Extent {
  readonly quick: boolean;
  /** Number of turns of each server. */
  readonly rounds: number;
  /** Durations in seconds: of each load of a turn's warm-up, and of the measured load. */
  readonly warmUpSeconds: number;
  /** The loads of the warm-up are repeated, at most twice, until the server has answered this many requests. */
  readonly warmUpRequests: number;
  readonly seconds: number;
}

export const full: Extent = { quick: false, rounds: 3, warmUpSeconds: 2, warmUpRequests: 40_000, seconds: 5 };
export const quick: Extent = { quick: true, rounds: 2, warmUpSeconds: 1, warmUpRequests: 0, seconds: 1 };

/** The context of a section. */
export interface Bench {
  readonly machine: Machine;
  readonly extent: Extent;
  /** Creates an empty folder on a disk; it is removed when the benchmark ends. */
  folder(name: string): string;
  /** Writes a line of progress to standard error. */
  log(line: string): void;
}

/** A part of the benchmark that can run by itself. */
export interface Section {
  readonly name: string;
  readonly title: string;
  /** What is compared; printed above the figures. */
  readonly explanation: string;
  /** Whether a quick run omits it, unless --only names it. */
  readonly isLong?: boolean;
  run(bench: Bench): Promise<SectionResult>;
}

/** Opens a benchmark; `runCleanups` removes its folders. */
export const openBench = (machine: Machine, extent: Extent): Bench => {
  const place = freshFolder();
  onExit(() => rmSync(place, { recursive: true, force: true }));
  let folders = 0;
  return {
    machine,
    extent,
    folder: (name) => {
      const folder = join(place, `${name}-${folders++}`);
      mkdirSync(folder);
      return folder;
    },
    log: (line) => process.stderr.write(`${line}\n`),
  };
};
