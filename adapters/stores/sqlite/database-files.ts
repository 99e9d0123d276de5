import { readFileSync, realpathSync, statSync } from 'node:fs';
import { UnsuitableFile } from './errors.ts';

/** The places at which something is mounted; none where the system does not tell, as any other than Linux. */
const mountPoints = (): readonly (string | undefined)[] => {
  try {
    // https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return lines.map((line) => line.split(' ')[4]);
  } catch {
    return [];
  }
};

/** A path as the system writes it there. */
const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

const targetOf = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
};

/**
 * Throws UnsuitableFile for a file that is mounted by itself, as into a container: SQLite has the write-ahead log in the
 * folder around it, with which acknowledged writes would be gone, and does not find the log of the mounted file.
 */
export const requireFolderOfFile = (path: string): void => {
  const target = targetOf(path);
  if (target !== undefined && mountPoints().includes(escaped(target)))
    throw new UnsuitableFile('it is mounted without its folder, which has its newest writes; mount the folder');
};

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
