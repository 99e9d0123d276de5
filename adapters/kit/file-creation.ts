import { accessSync, closeSync, constants, existsSync, fchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether this user may create a file, and the folders above it that are missing. */
export const canCreate = (file: string): boolean => {
  const folder = dirname(file);
  if (!existsSync(folder) && folder !== file) return canCreate(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Gives what was just created to the owner of its folder, because root runs commands such as `latchkey import` and the
 * service, as another user, opens it later. Without the permission for that, it stays as it is.
 */
export const giveToOwner = (descriptor: number, folder: string): void => {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
  }
};

const giveFolderToOwner = (folder: string, parent: string): void => {
  // Windows opens no folders, and has no root.
  if (process.getuid?.() !== 0) return;
  // By a descriptor, because the owner of the folder above can put a symbolic link in the place of the new one.
  const descriptor = openSync(folder, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    giveToOwner(descriptor, parent);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Creates a folder, and those above it, unless they exist; for the owner only by default. What root creates belongs to the
 * owner of the folder above. Throws the file system error.
 * It does not use the `recursive` option of Node.js, which never returns when the system answers ENOENT although the parent
 * exists, as in `/proc` or in a mounted folder that was deleted.
 */
export const createFolder = (folder: string, mode = 0o700): void => {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) createFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error;
    return;
  }
  giveFolderToOwner(folder, parent);
};
