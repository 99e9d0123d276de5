import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type Either, left, right } from 'fp-ts/lib/Either.js';

const folderReason = 'expected a file; this is a directory';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist; relative paths start in the working directory of the service',
  ENOTDIR: 'the file does not exist; relative paths start in the working directory of the service',
  EACCES: 'the user of the service has no permission to read the file',
  EPERM: 'the user of the service has no permission to read the file',
  EISDIR: folderReason,
  ELOOP: 'the symbolic links at this path lead back to themselves',
};

/** Why a file can't be read, without its path, which may come from a secret. */
export const fileErrorReason = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? `the file can't be read${code === '' ? '' : ` (${code})`}`;
};

export const mebibyte = 1024 * 1024;

/** A larger file is another one than it should be. A running service, too, would stand still while it reads it. */
const maxFileBytes = 16 * mebibyte;

const chunkBytes = 64 * 1024;

/** The start of a file. The size that the system reports is no limit: a pipe has none, and a file may grow meanwhile. */
const readStart = (path: string, maxBytes: number): Buffer => {
  const descriptor = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    let missing = maxBytes;
    while (missing > 0) {
      const chunk = Buffer.alloc(Math.min(chunkBytes, missing));
      const bytes = readSync(descriptor, chunk);
      if (bytes === 0) break;
      chunks.push(chunk.subarray(0, bytes));
      missing -= bytes;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * The bytes of a file. Left: why it cannot be read, without its path; it is read only if it has at most `maxBytes`. A pipe
 * would block the next reload, so that only the configuration may be one, which is not read again then. A device may have
 * no end, and reading some of them has effects.
 */
export const readSmallFile = (path: string, maxBytes = maxFileBytes, mayBePipe = false): Either<string, Buffer> => {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return left(folderReason);
    if (found.isFIFO() && !mayBePipe) return left('expected a file; this is a pipe, which cannot be read again');
    if (!found.isFile() && !found.isFIFO()) return left('expected a file; this is a device or a socket');
    const content = readStart(path, maxBytes + 1);
    return content.length > maxBytes ? left(`the file is larger than ${maxBytes / mebibyte} MiB`) : right(content);
  } catch (error) {
    return left(fileErrorReason(error));
  }
};
