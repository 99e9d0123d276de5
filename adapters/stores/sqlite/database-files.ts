import { realpathSync, statSync } from 'node:fs';

/** The files of an open database. */
export interface DatabaseFiles {
  /** The file that a symbolic link leads to, beside which SQLite has the other files. */
  readonly target: string;
  /** Changes if one of the files is moved, removed or replaced. */
  readonly identity: string;
  /** The length of the write-ahead log. */
  readonly logBytes: number;
}

/** Identifies the files of an open database, and measures its log. Throws the error of the file system. */
export const filesAt = (path: string, target = realpathSync.native(path)): DatabaseFiles => {
  const stats = [path, `${target}-wal`, `${target}-shm`].map((file) => statSync(file, { throwIfNoEntry: false }));
  return {
    target,
    identity: stats.map((file) => file && `${file.dev}:${file.ino}`).join(),
    logBytes: stats[1]?.size ?? 0,
  };
};
