import type { Section } from '../bench.ts';
import { endurance } from './endurance.ts';
import { engines } from './engines.ts';
import { failover } from './failover.ts';
import { features } from './features.ts';
import { hashes } from './hashes.ts';
import { heap } from './heap.ts';
import { installation } from './installation.ts';
import { logins } from './logins.ts';
import { mixed } from './mixed.ts';
import { postgresql } from './postgresql.ts';
import { profile } from './profile.ts';
import { read } from './read.ts';
import { size } from './size.ts';
import { start } from './start.ts';
import { storage } from './storage.ts';
import { workers } from './workers.ts';
import { write } from './write.ts';

/** Every section, in the order in which it runs and is reported. */
export const sections: readonly Section[] = [
  read,
  profile,
  write,
  mixed,
  features,
  engines,
  failover,
  postgresql,
  size,
  heap,
  hashes,
  start,
  endurance,
  workers,
  installation,
  storage,
  logins,
];
