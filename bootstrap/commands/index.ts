import { backup } from './backup.ts';
import { check } from './check.ts';
import type { Command, DatabaseCommand } from './command-line.ts';
import { expire } from './expire.ts';
import { exportUsers } from './export.ts';
import { importUsers } from './import.ts';
import { migrate } from './migrate.ts';
import { person } from './person.ts';
import { giveIds, reindex } from './reindex.ts';

/** In one module, because each of these commands needs most of the service. */
export const onDatabases: Readonly<Record<DatabaseCommand, Command>> = {
  check,
  migrate,
  backup,
  export: exportUsers,
  ids: giveIds,
  reindex,
  person,
  import: importUsers,
  expire,
};
