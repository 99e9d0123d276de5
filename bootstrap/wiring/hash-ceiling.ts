import { totalmem } from 'node:os';
import { hashConcurrency } from '../../adapters/password-hashes/work-queue.ts';
import type { Configuration } from '../configuration/index.ts';

/** The memory of this machine, or of its container where that has less, in bytes. */
const memoryLimit = (): number =>
  // 0 where there is no limit, or a number above all memory.
  Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** The most memory for each of so many hashes, in KiB, so that all of them take less than a quarter of these bytes. */
export const ceilingWithin = (bytes: number, hashes: number): number =>
  Math.max(0, Math.ceil(bytes / 4 / hashes / 1024) - 1);

/** The most memory that verifying one stored hash may take in a service with this configuration, in KiB. */
export const hashCeilingOf = ({ passwordHash, server }: Pick<Configuration, 'passwordHash' | 'server'>): number =>
  passwordHash.ceiling?.memoryKiB ?? ceilingWithin(memoryLimit(), server.workers * hashConcurrency);
