import { constants, existsSync, lstatSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { chainW, isLeft } from 'fp-ts/lib/Either.js';
import { parse } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { CommandError } from './command-errors.ts';

/**
 * The progress of an unfinished export: the file is complete up to `bytes` and holds `users`; `unreadable` records were
 * left out, and the former version did not count them; `next` is where the next page of the listing starts, and is missing
 * before the first page is written.
 */
const position = t.intersection([
  t.type({ next: t.union([t.string, t.undefined]), bytes: t.Int, users: t.Int }),
  t.partial({ unreadable: t.Int }),
]);

type Position = t.TypeOf<typeof position>;

const positionPath = (path: string): string => `${path}.position`;

/**
 * Opens an existing file with flags of open(2). Refuses symbolic and hard links, pipes and devices:
 * another user with write access to the folder could plant one that leads to a file of this user.
 */
const openExisting = async (path: string, flags: number): Promise<FileHandle> => {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const found = await file.stat();
  const isOwn = found.uid === process.geteuid?.() && (found.mode & 0o077) === 0;
  if (found.isFile() && found.nlink === 1 && isOwn) return file;
  await file.close();
  throw new CommandError(
    `${path}: is not a regular file, has a second hard link, or is accessible to other users; start a new file`,
  );
};

/** Saves the position from which an interrupted export continues, in place of an earlier one. */
const replacePosition = async (path: string, progress: t.OutputOf<typeof position>): Promise<void> => {
  const saved = positionPath(path);
  const unfinished = `${saved}.new`;
  // Remove and create the file, because a symbolic link that was planted here must not choose what is overwritten.
  await rm(unfinished, { force: true });
  try {
    await writeFile(unfinished, JSON.stringify(progress), { mode: 0o600, flag: 'wx' });
    await rename(unfinished, saved);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
};

/** Throws CommandError for the file of an export that has not ended, whose last users are missing. */
export const requireWholeExport = (path: string): void => {
  const saved = positionPath(path);
  if (existsSync(saved))
    throw new CommandError(
      `${path}: the export of this file has not ended; continue it with --resume, or remove ${saved}`,
    );
};

const readExisting = async (path: string): Promise<string> => {
  const file = await openExisting(path, constants.O_RDONLY);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
};

const readPosition = async (path: string): Promise<Position> => {
  if (!existsSync(path)) throw new CommandError(`${path}: the file to continue does not exist`);
  const saved = positionPath(path);
  if (!existsSync(saved)) throw new CommandError(`${path}: is complete, or was not written by an export`);
  const decoded = chainW(position.decode)(parse(await readExisting(saved)));
  if (isLeft(decoded)) throw new CommandError(`${saved}: is damaged; remove both files and start again`);
  return decoded.right;
};

/** The file that an export writes; only its owner can read it. */
export class ExportFile {
  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private bytes: number,
  ) {}

  /** Creates a new file. Throws CommandError if it exists, or the error of the file system. */
  static async create(path: string): Promise<ExportFile> {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw new CommandError(`${path}: exists already; name a new file, or continue an unfinished one with --resume`);
    // First, because a file without a position looks complete.
    await replacePosition(path, { next: undefined, bytes: 0, users: 0, unreadable: 0 });
    return new ExportFile(path, await open(path, 'ax', 0o600), 0);
  }

  /** Opens an unfinished file and cuts it off after its last complete page. Throws CommandError if there is none. */
  static async resume(path: string): Promise<{ readonly file: ExportFile; readonly position: Position }> {
    const position = await readPosition(path);
    const file = await openExisting(path, constants.O_WRONLY | constants.O_APPEND);
    const { size } = await file.stat();
    if (position.bytes < 0 || position.bytes > size) {
      await file.close();
      throw new CommandError(`${path}: is shorter than its position says; remove both files and start again`);
    }
    await file.truncate(position.bytes);
    return { file: new ExportFile(path, file, position.bytes), position };
  }

  async write(lines: string): Promise<void> {
    const content = Buffer.from(lines);
    await this.file.appendFile(content);
    this.bytes += content.length;
  }

  /** Flushes what was written, then saves the position from which an interrupted export continues. */
  async savePosition(next: string | undefined, users: number, unreadable: number): Promise<void> {
    await this.file.datasync();
    await replacePosition(this.path, { next, bytes: this.bytes, users, unreadable });
  }

  /** Flushes the file and marks it as complete. */
  async finish(): Promise<void> {
    await this.file.sync();
    await rm(positionPath(this.path), { force: true });
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
