import { backup } from './backup.ts';
import { check } from './check.ts';
import type { Command, OtherCommand } from './command-line.ts';
import { expire } from './expire.ts';
import { exportUsers } from './export.ts';
import { importUsers } from './import.ts';
import { init } from './init.ts';
import { key } from './key.ts';
import { migrate } from './migrate.ts';
import { person } from './person.ts';
import { giveIds, reindex } from './reindex.ts';
import { upgradeCheck } from './upgrade-check.ts';

/** The commands that end by themselves. */
export const others: Readonly<Record<OtherCommand, Command>> = {
  check,
  init,
  key,
  'upgrade-check': upgradeCheck,
  migrate,
  backup,
  export: exportUsers,
  ids: giveIds,
  reindex,
  person,
  import: importUsers,
  expire,
};
