import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Identifies the present file at a path; empty where there is none. */
export const versionOf = (path: string): string => {
  try {
    const file = statSync(path);
    return file.isFile() ? `${file.ino} ${file.size} ${file.mtimeMs} ${file.ctimeMs}` : '';
  } catch {
    return '';
  }
};

/** Whether there is a pipe at a path. */
export const isPipe = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;

/** A file that cannot be read counts as changed whenever it is another one. */
const digestOf = async (path: string, version: string): Promise<string> => {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return version;
  }
};

/** Digests of files by their paths, without those that do not exist. */
export type Digests = ReadonlyMap<string, string>;

/** Compares files by their contents, which are read again only if something about a file has changed. */
export class FileContents {
  private known = new Map<string, { readonly version: string; readonly digest: string }>();

  async of(paths: Iterable<string>): Promise<Digests> {
    const next: typeof this.known = new Map();
    for (const path of new Set(paths)) {
      const version = versionOf(path);
      if (version === '') continue;
      const former = this.known.get(path);
      next.set(path, former?.version === version ? former : { version, digest: await digestOf(path, version) });
    }
    this.known = next;
    return new Map([...next].map(([path, { digest }]) => [path, digest]));
  }
}
