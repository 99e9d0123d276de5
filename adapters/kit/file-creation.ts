import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
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
 * Creates a folder, and those above it, unless they exist; for the owner only by default. Throws the file system error.
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
  }
};
