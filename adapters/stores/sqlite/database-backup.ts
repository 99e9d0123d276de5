import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Fault } from '../../../application/fault.ts';
import { requireFolderOfFile } from './database-files.ts';
import { toFailure, UnsuitableFile } from './errors.ts';
import { appliedSteps, withConnection } from './sqlite-database.ts';
import { isUserSql } from './sqlite-user-table.ts';

const flush = (path: string): void => {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/**
 * Writes the state after the last commit into an empty file, in one read transaction, which blocks no writer in WAL mode.
 * The backup API of SQLite would start again with every write of another process.
 */
const copyInto = (source: string, file: string): void =>
  withConnection(source, { readonly: true }, (database) => {
    if (appliedSteps(database) === 0) throw new UnsuitableFile('holds no table of users yet');
    database.prepare('VACUUM INTO ?').run(file);
  });

/** The number of users in a copy; throws UnsuitableFile if the copy is damaged. */
const countUsers = (file: string): number =>
  withConnection(file, { readonly: true }, (database) => {
    if (database.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new UnsuitableFile('its copy is not sound: the database is damaged');
    return database.prepare<[], number>(`SELECT count(*) FROM users WHERE ${isUserSql}`).pluck().get() ?? 0;
  });

/** Creates the file, readable by its owner only, like the database. */
const reserve = (file: string): void => {
  if (existsSync(file))
    throw new UnsuitableFile(
      `${file} exists: another backup is running, or was interrupted; remove the file in the second case`,
    );
  closeSync(openSync(file, 'wx', 0o600));
};

const copied = (source: string, target: string): number => {
  const unfinished = `${target}.unfinished`;
  reserve(unfinished);
  try {
    copyInto(source, unfinished);
    const users = countUsers(unfinished);
    flush(unfinished);
    renameSync(unfinished, target);
    // Windows cannot flush a folder, and does not need to.
    if (process.platform !== 'win32') flush(dirname(target));
    return users;
  } finally {
    rmSync(unfinished, { force: true });
  }
};

/**
 * Copies the database at a path into a new file, also while a service writes to it, and returns the number of users in the
 * copy. It has every write that was acknowledged before, and gets its name once it is checked and on the disk.
 * Throws a Fault, and then leaves no file behind. Never overwrites a file.
 */
export const backUp = (source: string, target: string): number => {
  const [from, to] = [resolve(source), resolve(target)];
  try {
    if (!existsSync(from)) throw new UnsuitableFile('the database does not exist');
    requireFolderOfFile(from);
    if (existsSync(to)) throw new UnsuitableFile('the copy exists already; write the name of a new file');
    if (!existsSync(dirname(to))) throw new UnsuitableFile('the folder of the copy does not exist');
    return copied(from, to);
  } catch (error) {
    const { code, reason, cause } = toFailure(error);
    throw new Fault(code, `${from} was not copied to ${to}: ${reason}`, { cause });
  }
};
