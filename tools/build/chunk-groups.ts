/** What the bundler knows of a module: the ids of the modules that it imports statically. */
type ModuleInfo = (id: string) => { readonly importedIds: readonly string[] } | null;

/** What every process that serves requests loads. */
const service = [
  'bootstrap/commands/serve.ts',
  'bootstrap/service/public-service.ts',
  'bootstrap/service/admin-service.ts',
];

/** What is also loaded without the service: by other commands, by adapters, in tests and in threads. */
const others = [
  'bootstrap/main.ts',
  'sdk/ports.ts',
  'sdk/testing/container.ts',
  'adapters/stores/sqlite/writer.ts',
  'adapters/password-rules/strength-worker.ts',
];

/** It also runs in browsers. */
const client = ['sdk/client/index.ts'];

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
export const chunkGroups = (root: string): ((id: string, infoOf: ModuleInfo) => string | null) => {
  const closure = (files: readonly string[], infoOf: ModuleInfo) =>
    closureOf(
      files.map((file) => root + file),
      infoOf,
    );
  let closures: Readonly<Record<'client' | 'service' | 'others', ReadonlySet<string>>> | undefined;
  return (id, infoOf) => {
    closures ??= {
      client: closure(client, infoOf),
      service: closure(service, infoOf),
      others: closure(others, infoOf),
    };
    if (!closures.service.has(id) || closures.client.has(id)) return null;
    return closures.others.has(id) ? 'core' : 'service';
  };
};
