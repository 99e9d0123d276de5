import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../installed-package.ts';

/** The configuration file of a command. */
export interface ChosenFile {
  readonly path: string;
  readonly warnings: readonly string[];
}

const local = 'config/local.yaml';

/** The configuration for development in the package; undefined where an installation leaves it out. */
const packagedFile = (): string | undefined => {
  const path = fileURLToPath(new URL(local, packageFolder));
  return existsSync(path) ? path : undefined;
};

/**
 * Chooses the configuration file: the one on the command line, or LATCHKEY_CONFIG, or config/local.yaml in the working
 * directory, or the one for development in the package.
 */
export const chosenFile = (named: string | undefined, environment: NodeJS.ProcessEnv): ChosenFile => {
  const path = named ?? (environment.LATCHKEY_CONFIG || local);
  const fallback = path === local && named === undefined && !existsSync(local) ? packagedFile() : undefined;
  if (fallback === undefined) return { path, warnings: [] };
  const warning = `no configuration is named, and ${local} does not exist: using ${fallback}, which is for development and keeps its data in ./data; copy it, adapt it, and name the copy`;
  return { path: fallback, warnings: [warning] };
};
