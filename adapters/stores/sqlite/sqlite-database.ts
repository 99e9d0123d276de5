import { randomBytes, randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { open, realpath, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { createFolder, giveToOwner } from '../../kit/file-creation.ts';
import { UnsuitableFile } from './errors.ts';
import { schemaVersion, steps } from './sqlite-schema.ts';

/** Marks the file as ours: "LTCH" in ASCII (https://www.sqlite.org/pragma.html#pragma_application_id). */
export const applicationId = 0x4c544348;

/**
 * Creates a missing file, readable by its owner only; SQLite gives the files that it adds the same mode and owner. It does
 * not open an existing file, because closing it would drop the locks that SQLite holds on it in this process.
 */
export const createFile = (path: string): void => {
  const folder = dirname(path);
  createFolder(folder);
  try {
    const descriptor = openSync(path, 'wx', 0o600);
    try {
      giveToOwner(descriptor, folder);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
};

/** The number of schema steps by `user_version`, 0 for an empty file. Throws UnsuitableFile for a file that must not be changed. */
export const appliedSteps = (database: Database.Database): number => {
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

/** The number of steps that the tables show, which may be more than `user_version` says. */
const actualSteps = (database: Database.Database, marked: number): number => {
  const further = steps.slice(marked).findIndex(({ evidence }) => database.prepare(evidence).get() === undefined);
  return further === -1 ? schemaVersion : marked + further;
};

const isBusy = (error: unknown): boolean => error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';

/**
 * Switches to WAL and returns the resulting journal mode. It retries, because SQLite does not wait for another process
 * that switches at the same time: each would hold the lock that the other one needs.
 */
export const switchToWal = (database: Database.Database, timeoutMs: number): unknown => {
  const deadline = performance.now() + timeoutMs;
  const signal = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return database.pragma('journal_mode = WAL', { simple: true });
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(signal, 0, 0, 5);
    }
  }
};

const prepare = (database: Database.Database, busyTimeoutMs: number): void => {
  // Checks first, because the switch to WAL would change the file of another program. In one transaction, because
  // another process may be creating the table.
  database.transaction(appliedSteps).deferred(database);
  if (switchToWal(database, busyTimeoutMs) !== 'wal')
    throw new UnsuitableFile('its file system does not support a write-ahead log');
  // In WAL mode a lower setting loses acknowledged writes when the power fails.
  database.pragma('synchronous = FULL');
  const migrate = database.transaction(() => {
    const marked = appliedSteps(database);
    if (marked === schemaVersion) return;
    for (const { sql } of steps.slice(actualSteps(database, marked))) database.exec(sql);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${schemaVersion}`);
  });
  migrate.immediate();
};

/**
 * How many KiB of pages the writer keeps. With the 16 MiB that the driver gives it, creations took no less time, also
 * among a million users: a write reads few pages, and the system has those of the file in its own cache.
 */
const writerCacheKib = 4 * 1024;

/**
 * Opens the database for writing, and creates the file, its folders and the tables if they are missing. `busyTimeoutMs` is
 * how long it waits for the write of another process. Throws UnsuitableFile, or the error of SQLite or the file system.
 */
export const openForWriting = (path: string, busyTimeoutMs: number): Database.Database => {
  createFile(path);
  const database = new Database(path, { timeout: busyTimeoutMs });
  try {
    prepare(database, busyTimeoutMs);
    // Negative for KiB: https://www.sqlite.org/pragma.html#pragma_cache_size
    database.pragma(`cache_size = ${-writerCacheKib}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Runs work on a connection of its own to an existing file, and closes it. */
export const withConnection = <Result>(
  path: string,
  options: Database.Options,
  work: (database: Database.Database) => Result,
): Result => {
  const database = new Database(path, { ...options, fileMustExist: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
};

/**
 * Whether this user may change a database of the current schema, and no other change is being written. Nothing is written
 * to the disk.
 */
export const canChange = (path: string): boolean => {
  try {
    return withConnection(path, { timeout: 0 }, (database) => {
      database.exec('BEGIN IMMEDIATE');
      if (appliedSteps(database) !== schemaVersion || actualSteps(database, 0) !== schemaVersion) return false;
      // Only a change is refused if the file may only be read.
      database.exec(`PRAGMA user_version = ${schemaVersion}; ROLLBACK`);
      return true;
    });
  } catch {
    return false;
  }
};

/** Whether a database has a write-ahead log, and nothing is in it. */
export const isEmptyLog = (path: string): boolean => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size === 0;

/** Whether this user may write to a database. */
export const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** Removes the write-ahead log of a database that no other connection uses. Errors are left to the next start. */
export const removeLog = (path: string): void => {
  try {
    // The last writable connection that has read the file removes the log when it closes.
    withConnection(path, {}, (database) => database.pragma('user_version'));
  } catch {
    // Nothing is lost: the next start applies the log.
  }
};

/**
 * What a change of the largest user (350 KiB) may need: its row with indexes, events and mails in the write-ahead log,
 * and then in the database.
 */
const neededBytes = 1024 * 1024;
/** Half of it, so that other writes do not fail because of the test. */
const testedBytes = neededBytes / 2;

/** Whether the disk of a file has space for a change of any user. Rejects with the error of the file system. */
export const hasSpace = async (path: string): Promise<boolean> => {
  // SQLite, too, writes beside the file that a symbolic link leads to.
  const file = await realpath(path);
  const { bavail, bsize, blocks } = await statfs(dirname(file));
  // Some file systems report no size.
  if (blocks > 0 && bavail * bsize < neededBytes) return false;
  await writeTestFile(`${file}-test-${randomUUID()}`);
  return true;
};

/** A quota or a defect of the disk shows only in a write. */
const writeTestFile = async (path: string): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    // Removed before it is written, so that nothing stays after a crash.
    await unlink(path);
    await file.writeFile(randomBytes(testedBytes));
    await file.sync();
  } finally {
    await file.close();
  }
};
