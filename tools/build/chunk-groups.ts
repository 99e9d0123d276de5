/** What the bundler knows of a module: the ids of the modules that it imports statically. */
type ModuleInfo = (id: string) => { readonly importedIds: readonly string[] } | null;

/** The entry points whose files have the modules that they import statically, by what loads them. */
const entries = {
  /** It also runs in browsers. */
  client: ['sdk/client/index.ts'],
  /** What every process that serves requests loads. */
  service: ['bootstrap/commands/serve.ts'],
  /** What is loaded for every command. */
  main: ['bootstrap/main.ts'],
  /** What is also loaded without the service: by adapters of packages, tests and threads. */
  others: [
    'sdk/ports.ts',
    'sdk/testing/container.ts',
    'adapters/stores/sqlite/writer.ts',
    'adapters/password-rules/strength-worker.ts',
  ],
  writer: ['adapters/stores/sqlite/writer.ts'],
  sqlite: ['adapters/stores/sqlite/index.ts'],
};

/** The files in dist/ that have the modules of several, those first that load none of the others. */
export const chunks = ['core', 'sqlite-file', 'service', 'sqlite'] as const;

const closureOf = (files: readonly string[], infoOf: ModuleInfo): ReadonlySet<string> => {
  const found = new Set(files);
  for (const id of found) for (const imported of infoOf(id)?.importedIds ?? []) found.add(imported);
  return found;
};

/**
 * Returns the name of the file in dist/ that has a module; null for a module that the bundler places. It makes one file
 * for each set of entry points that share modules, and Node.js takes 0.5 ms to load each: with them, the first response
 * of a service took 1.4 times the processor time. `root` ends with a slash.
 */
export const chunkGroups = (root: string): ((id: string, infoOf: ModuleInfo) => (typeof chunks)[number] | null) => {
  let closures: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return (id, infoOf) => {
    closures ??= new Map(
      Object.entries(entries).map(([name, files]) => [
        name,
        closureOf(
          files.map((file) => root + file),
          infoOf,
        ),
      ]),
    );
    const isLoadedBy = (name: string) => closures?.get(name)?.has(id) ?? false;
    if (isLoadedBy('client') || Object.values(entries).flat().includes(id.replace(root, ''))) return null;
    // The thread loads neither the service nor what only the thread that serves requests does with the file.
    if (id.startsWith(`${root}adapters/stores/sqlite/`)) return isLoadedBy('writer') ? 'sqlite-file' : 'sqlite';
    // Other stores share modules with SQLite.
    if (!['service', 'main', 'sqlite'].some(isLoadedBy)) return null;
    return isLoadedBy('others') || isLoadedBy('main') ? 'core' : 'service';
  };
};
