import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { UnsuitableFile } from './errors.ts';
import { schemaVersion, steps } from './schema.ts';

/** Marks the file as ours: "LTCH" in ASCII (https://www.sqlite.org/pragma.html#pragma_application_id). */
export const applicationId = 0x4c544348;

/**
 * Creates the file, readable by its owner only, when there is none; SQLite gives its companions the same mode.
 * A file that exists is not opened here: closing it again would drop the locks that SQLite holds on it in this process.
 */
export const createFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
};

/** How many steps the schema of the database is marked with, 0 when it is empty; throws UnsuitableFile when it must be left alone. */
export const stepsMarked = (database: Database.Database): number => {
  const id = database.pragma('application_id', { simple: true });
  const version = Number(database.pragma('user_version', { simple: true }));
  if (id === applicationId) {
    if (version <= schemaVersion) return version;
    throw new UnsuitableFile(`written by a newer version of Latchkey (schema ${version}, known: ${schemaVersion})`);
  }
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (id === 0 && version === 0 && isEmpty) return 0;
  throw new UnsuitableFile(`belongs to another program (application_id ${id})`);
};

/** How many steps the database has taken, which may be more than it is marked with. */
const stepsTaken = (database: Database.Database, marked: number): number => {
  const further = steps.slice(marked).findIndex(({ trace }) => database.prepare(trace).get() === undefined);
  return further === -1 ? schemaVersion : marked + further;
};

const isBusy = (error: unknown): boolean => error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';

/**
 * Switches to WAL and gives the journal mode that came of it. SQLite itself doesn't wait for another process that
 * makes the switch at the same moment, because each would hold what the other one waits for.
 */
export const switchToWal = (database: Database.Database, patience: number): unknown => {
  const deadline = performance.now() + patience;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return database.pragma('journal_mode = WAL', { simple: true });
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(pause, 0, 0, 5);
    }
  }
};

const prepare = (database: Database.Database, patience: number): void => {
  // Before anything else, because the switch to WAL would already change somebody else's file. In one transaction,
  // because another process may be creating the table.
  database.transaction(stepsMarked).deferred(database);
  if (switchToWal(database, patience) !== 'wal')
    throw new UnsuitableFile('its file system can not keep a write-ahead log');
  // In WAL mode anything less loses acknowledged writes when the power fails.
  database.pragma('synchronous = FULL');
  const takeSteps = database.transaction(() => {
    const marked = stepsMarked(database);
    if (marked === schemaVersion) return;
    for (const { work } of steps.slice(stepsTaken(database, marked))) database.exec(work);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${schemaVersion}`);
  });
  takeSteps.immediate();
};

/**
 * Opens the database for writing, and creates the file, its folders and the tables when they are missing.
 * `patience` is how long to wait for another process's write, in milliseconds.
 * Throws UnsuitableFile, or the error of SQLite or the file system.
 */
export const openForWriting = (path: string, patience: number): Database.Database => {
  createFile(path);
  const database = new Database(path, { timeout: patience });
  try {
    prepare(database, patience);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Removes the write-ahead log of a database that no other connection uses; what stands in its way is left to the next start. */
export const removeLog = (path: string): void => {
  try {
    const database = new Database(path, { fileMustExist: true });
    try {
      // The last connection that has read the file and may write it clears the log away when it closes.
      database.pragma('user_version');
    } finally {
      database.close();
    }
  } catch {
    // Nothing is lost with it: the log holds nothing that the file does not have, or the next start takes it over.
  }
};
