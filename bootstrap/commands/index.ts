import { backup } from './backup.ts';
import { check } from './check.ts';
import type { Command, DatabaseCommand } from './command-line.ts';
import { expire } from './expire.ts';
import { exportUsers } from './export.ts';
import { importUsers } from './import.ts';
import { interruptible } from './interrupts.ts';
import { migrate } from './migrate.ts';
import { person } from './person.ts';
import { giveIds, reindex } from './reindex.ts';

/** In one module, because each of these commands needs most of the service. */
export const onDatabases: Readonly<Record<DatabaseCommand, Command>> = {
  check: interruptible(check),
  migrate: interruptible(migrate),
  // Its only call is synchronous: a handler would not run before the end, and without one a signal ends the process.
  backup,
  export: interruptible(exportUsers),
  ids: interruptible(giveIds),
  reindex: interruptible(reindex),
  person: interruptible(person),
  import: interruptible(importUsers),
  expire: interruptible(expire),
};
