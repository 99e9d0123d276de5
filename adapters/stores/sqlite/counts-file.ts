import { lstatSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { createFile, switchToWal } from './database.ts';
import { troubleOf } from './errors.ts';

/** The table of RateLimiterSQLite, with an index that finds what expired. */
export const tableName = 'failed_attempts';

const schema = `
  CREATE TABLE IF NOT EXISTS ${tableName} (key TEXT PRIMARY KEY, points INTEGER NOT NULL DEFAULT 0, expire INTEGER);
  CREATE INDEX IF NOT EXISTS ${tableName}_by_expiry ON ${tableName} (expire);
`;

/** How long the event loop may stand still for another process that writes, in milliseconds. */
const patience = 100;

/** The file, and those that SQLite writes beside it. */
const suffixes = ['', '-wal', '-shm', '-journal'];

/**
 * Removes symbolic and hard links that stand in place of the file and of those beside it. Whoever else may write in the
 * folder could plant one, and SQLite would create or change the file that it leads to. Nothing is lost but counts.
 */
const removeLinks = (path: string): void => {
  for (const suffix of suffixes) {
    const found = lstatSync(`${path}${suffix}`, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() || (found?.isFile() && found.nlink > 1)) rmSync(`${path}${suffix}`);
  }
};

const opened = (path: string): Database.Database => {
  removeLinks(path);
  createFile(path);
  const database = new Database(path, { timeout: patience });
  try {
    // A count is worth no wait for the disk: nothing here is ever flushed, and what the power supply took is made anew.
    database.pragma('synchronous = OFF');
    switchToWal(database, patience);
    database.exec(schema);
    if (database.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new Database.SqliteError('', 'SQLITE_CORRUPT');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * Opens the file of the counts, and makes it when it is missing, or anew when it is damaged: it may be after a lost power
 * supply. Throws the error of SQLite or of the file system.
 */
export const openCounts = (path: string): Database.Database => {
  try {
    return opened(path);
  } catch (error) {
    if (!troubleOf(error).damaged) throw error;
    for (const suffix of suffixes) rmSync(`${path}${suffix}`, { force: true });
    return opened(path);
  }
};
