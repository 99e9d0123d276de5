import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd } from './endings.ts';
import { freshFolder, type Machine } from './machine.ts';
import type { SectionResult } from './results.ts';

/** How much is measured. */
export interface Extent {
  readonly quick: boolean;
  /** How often each contender has its turn. */
  readonly rounds: number;
  /** How long a turn is, in seconds: before the figures count, and while they do. */
  readonly warmUp: number;
  readonly seconds: number;
}

export const full: Extent = { quick: false, rounds: 5, warmUp: 3, seconds: 5 };
export const quick: Extent = { quick: true, rounds: 2, warmUp: 1, seconds: 1 };

/** What a section is run with. */
export interface Bench {
  readonly machine: Machine;
  readonly extent: Extent;
  /** A new empty folder on a disk; it is removed when the bench ends. */
  folder(name: string): string;
  /** Tells the person who waits what is being done. */
  say(line: string): void;
}

/** A part of the bench that can be run by itself. */
export interface Section {
  readonly name: string;
  readonly title: string;
  /** What is compared, for the reader of the page. */
  readonly explanation: string;
  /** Whether a quick run leaves it out, unless it is asked for by its name. */
  readonly isLong?: boolean;
  run(bench: Bench): Promise<SectionResult>;
}

/** Opens a bench; its folders are removed by `endAll`. */
export const openBench = (machine: Machine, extent: Extent): Bench => {
  const place = freshFolder();
  atEnd(() => rmSync(place, { recursive: true, force: true }));
  let folders = 0;
  return {
    machine,
    extent,
    folder: (name) => {
      const folder = join(place, `${name}-${folders++}`);
      mkdirSync(folder);
      return folder;
    },
    say: (line) => process.stderr.write(`${line}\n`),
  };
};
