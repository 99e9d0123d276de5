import { accessSync, constants, existsSync } from 'node:fs';
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
