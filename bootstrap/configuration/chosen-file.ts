import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../installed-package.ts';

/** The configuration that a command uses. */
export interface ChosenFile {
  readonly path: string;
  /** What a person should know about the choice. */
  readonly warnings: readonly string[];
}

const local = 'config/local.yaml';

/** The file for development that comes with the package; undefined where an installation has left it out. */
const packaged = (): string | undefined => {
  const path = fileURLToPath(new URL(local, packageFolder));
  return existsSync(path) ? path : undefined;
};

/**
 * The configuration: the file that the command line names, or LATCHKEY_CONFIG, or config/local.yaml below the directory
 * where the command is started. Where there is none of them, it is the one for development that comes with the package.
 */
export const chosenFile = (named: string | undefined, environment: NodeJS.ProcessEnv): ChosenFile => {
  const path = named ?? (environment.LATCHKEY_CONFIG || local);
  const fallback = path === local && named === undefined && !existsSync(local) ? packaged() : undefined;
  if (fallback === undefined) return { path, warnings: [] };
  const warning = `no configuration is named, and there is no ${local}: this is the one for development, ${fallback}, with its data in ./data; copy it, change it, and name the copy`;
  return { path: fallback, warnings: [warning] };
};
