import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { UnusableFile } from './unusable-file.ts';

/**
 * How far an export has come: what is in the file is complete up to so many bytes, and goes on after `next`, which is
 * missing before the end of the first page.
 */
const position = t.type({ next: t.union([t.string, t.undefined]), bytes: t.Int, users: t.Int });

export type Position = t.TypeOf<typeof position>;

/** Where the position of an export is kept until it is finished. */
const besides = (path: string): string => `${path}.position`;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Opens a file that exists, with flags of open(2). It follows no symbolic link and refuses a file with a second name, a
 * pipe and a device: another user who may write in the folder could plant one that leads to a file of this user.
 */
const openExisting = async (path: string, flags: number): Promise<FileHandle> => {
  // Without O_NONBLOCK opening a pipe would wait for its other end.
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const found = await file.stat();
  const isOwn = found.uid === process.geteuid?.() && (found.mode & 0o077) === 0;
  if (found.isFile() && found.nlink === 1 && isOwn) return file;
  await file.close();
  throw new UnusableFile(
    `${path}: it is no regular file, or a hard link to one, or other users own or may open it; begin a new file`,
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
  if (!existsSync(path)) throw new UnusableFile(`${path}: there is no such file to go on with`);
  if (!existsSync(besides(path))) throw new UnusableFile(`${path}: it is complete, or was not begun by an export`);
  const kept = position.decode(parsed(await readExisting(besides(path))));
  if (isLeft(kept)) throw new UnusableFile(`${besides(path)}: it is damaged; remove both files and begin anew`);
  return kept.right;
};

/** The file of an export, readable by its owner only. What is said to be written is on the disk. */
export class ExportFile {
  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private bytes: number,
  ) {}

  /** Begins a new file; throws UnusableFile when there is one, or it can't be made. */
  static async create(path: string): Promise<ExportFile> {
    if (existsSync(path))
      throw new UnusableFile(`${path}: it exists already; write the name of a new file, or --resume an unfinished one`);
    const begun = new ExportFile(path, await open(path, 'ax', 0o600), 0);
    // Or what is cut off within the first page would look complete.
    await begun.mark(undefined, 0);
    return begun;
  }

  /** Goes on with an unfinished file, after the last page that is whole; throws UnusableFile when there is none. */
  static async resume(path: string): Promise<{ readonly file: ExportFile; readonly position: Position }> {
    const position = await readPosition(path);
    const file = await openExisting(path, constants.O_WRONLY | constants.O_APPEND);
    const { size } = await file.stat();
    if (position.bytes < 0 || position.bytes > size) {
      await file.close();
      throw new UnusableFile(`${path}: it is shorter than its position says; remove both files and begin anew`);
    }
    await file.truncate(position.bytes);
    return { file: new ExportFile(path, file, position.bytes), position };
  }

  async write(text: string): Promise<void> {
    const content = Buffer.from(text);
    await this.file.appendFile(content);
    this.bytes += content.length;
  }

  /** Notes from where an export would go on that ends here. */
  async mark(next: string | undefined, users: number): Promise<void> {
    await this.file.datasync();
    const unfinished = `${besides(this.path)}.new`;
    // A link that was planted under this name must not decide what is overwritten: remove it, and create the file.
    await rm(unfinished, { force: true });
    await writeFile(unfinished, JSON.stringify({ next, bytes: this.bytes, users }), { mode: 0o600, flag: 'wx' });
    await rename(unfinished, besides(this.path));
  }

  /** The file is complete. */
  async finish(): Promise<void> {
    await this.file.sync();
    await rm(besides(this.path), { force: true });
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
