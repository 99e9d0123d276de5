import { randomBytes, randomUUID } from 'node:crypto';
import { open, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * What a change of the largest user (350 KiB) may need: its row with indexes, events and mails in the write-ahead log,
 * and then in the database.
 */
const neededBytes = 1024 * 1024;
/** Half of it, so that other writes do not fail because of the test. */
const testedBytes = neededBytes / 2;

/** Whether the disk of a file has space for a change of any user. Rejects with the error of the file system. */
export const hasSpace = async (path: string): Promise<boolean> => {
  const { bavail, bsize, blocks } = await statfs(dirname(path));
  // Some file systems report no size.
  if (blocks > 0 && bavail * bsize < neededBytes) return false;
  await writeTestFile(`${path}-test-${randomUUID()}`);
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
