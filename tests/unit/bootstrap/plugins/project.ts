import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfiguration } from '../../../../bootstrap/configuration/configuration-file.ts';
import { ConfigurationError, type ReadConfiguration } from '../../../../bootstrap/configuration/index.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

/** The module that adapters import as `latchkey/ports`. */
export const ports = new URL('../../../../sdk/ports.ts', import.meta.url).href;

/** A temporary folder with a configuration and adapters. */
export class Project {
  private constructor(readonly folder: string) {}

  /** Writes files by their paths. */
  static async create(files: Readonly<Record<string, string>>): Promise<Project> {
    const project = new Project(await mkdtemp(join(tmpdir(), 'latchkey-project-')));
    for (const [path, content] of Object.entries(files)) await project.write(path, content);
    return project;
  }

  async write(path: string, content: string): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  /** Writes and reads the configuration of the folder. JSON is YAML too. */
  async read(document: object): Promise<ReadConfiguration> {
    await this.write('latchkey.yaml', JSON.stringify(document));
    return readConfiguration(join(this.folder, 'latchkey.yaml'), silentContext.log);
  }

  /** The problems of a configuration, with `@` for the folder. */
  async problems(document: object): Promise<readonly string[]> {
    const outcome: unknown = await this.read(document).catch((error: unknown) => error);
    if (!(outcome instanceof ConfigurationError)) throw new Error('a refusal was expected', { cause: outcome });
    return outcome.problems.map(({ path, message }) => `${path}: ${message}`.replaceAll(this.folder, '@'));
  }

  dispose(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}

/** A module whose default export is a valid adapter, with some members replaced or added. */
export const adapterText = (members: Readonly<Record<string, string>> = {}, head = ''): string => {
  const sound = {
    type: `'acme'`,
    port: `'UserStore'`,
    portVersion: '3',
    configuration: `block({ greeting: withDefault(text, 'hello', 'What it says.') })`,
    open: `async ({ greeting }) => ({ users: {
      find: async () => undefined, insert: async (user) => ({ user, version: '1' }), replace: async () => 'stale',
      remove: async () => 'stale', reserve: async () => 'taken', check: async () => greeting, close: async () => {},
    } })`,
  };
  const lines = Object.entries({ ...sound, ...members }).map(([name, value]) => `  ${name}: ${value},\n`);
  return `import { block, text, withDefault } from '${ports}';\n${head}export default {\n${lines.join('')}};\n`;
};
