import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { installPacked } from '../process/packed.ts';
import { Run } from '../process/run.ts';
import { sessionLabel } from '../support/engines/containers.ts';
import { type EngineName, engines } from '../support/engines/engines.ts';
import { explanation, skipSuite } from '../support/engines/skipped-suites.ts';
import { eventually } from '../support/eventually.ts';
import { type FencedBlock, fencedBlocksOf } from './fenced-blocks.ts';

const isShell = ({ language }: FencedBlock): boolean => language === 'sh';
const isOutput = ({ language }: FencedBlock): boolean => language === 'text' || language === 'json';
/** How long the tour on one database may take on a slow machine. */
const timeoutMs = 600_000;

/** Replaces values that differ in each run: times, tags, ids, hashes and counts that depend on the time. */
const masked = (text: string): string =>
  text
    .replace(/(?<=token=)[\w-]+/g, 'TOKEN')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
    .replace(/(?<=Time":)\d{13}/g, 'TIME')
    .replace(/(?<=blockedForSeconds":)\d+/g, 'SECONDS')
    .replace(/(?<=operation="replace"} )\d+/g, 'NUMBER')
    .replace(/\$argon2id\$[^"\s]+/g, 'HASH')
    .trimEnd();

/** The content of a block or the output of a command; the layout of JSON does not matter. */
const comparable = ({ language }: FencedBlock, text: string): string =>
  masked(language === 'json' ? JSON.stringify(JSON.parse(text)) : text);

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** A folder in which the package is installed, with the processes that the tour starts there. */
class Tour {
  private readonly runs: Run[] = [];
  private exports: readonly string[] = [];

  private constructor(
    private readonly folder: string,
    /** Replacements for the addresses and names of the page, which other programs may use. */
    private readonly replacements: Map<string, string>,
  ) {}

  static async create(modules: string): Promise<Tour> {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-tour-'));
    await symlink(modules, join(folder, 'node_modules'));
    return new Tour(folder, new Map());
  }

  replace(shown: string, used: string): void {
    this.replacements.set(shown, used);
  }

  translate(text: string): string {
    return [...this.replacements].reduce((translated, [shown, used]) => translated.replaceAll(shown, used), text);
  }

  /** Sets the variables that commands export in all later ones, as in two terminals. */
  export(commands: string): void {
    this.exports = commands.split('\n').filter((line) => line.startsWith('export '));
  }

  /** Starts commands in a shell, in a process group with their children. */
  start(commands: string): Run {
    const { LATCHKEY_CONFIG: _, AWS_ACCESS_KEY_ID: __, AWS_SECRET_ACCESS_KEY: ___, ...env } = process.env;
    const args = ['-euo', 'pipefail', '-c', this.translate([...this.exports, commands].join('\n'))];
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const run = new Run(spawn('bash', args, { cwd: this.folder, env, stdio: [...stdio], detached: true }));
    this.runs.push(run);
    return run;
  }

  /** Runs commands to their end. Throws what they print if one fails. */
  async run(commands: string): Promise<string> {
    const run = this.start(commands);
    const status = await run.ended;
    if (status !== 0) throw new Error(`status ${status}: ${run.stdout}${run.stderr}`);
    return run.stdout;
  }

  /** Writes the configuration of the page with another block `database`, on free ports. */
  async configure(shown: { readonly server: object }, database: object): Promise<void> {
    const server = { ...shown.server, port: 0, adminPort: 0 };
    await writeFile(join(this.folder, 'latchkey.yaml'), stringify({ ...shown, server, database }));
  }

  /** Ends all processes, and removes the folder. */
  async dispose(): Promise<void> {
    for (const { child } of this.runs) {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    await Promise.all(this.runs.map(({ ended }) => ended));
    await rm(this.folder, { recursive: true });
  }
}

/** Skips the test without Docker, which the page uses for a database. */
const requireDocker = async (test: Mocha.Context, name: EngineName): Promise<void> => {
  try {
    await sessionLabel();
  } catch (error) {
    skipSuite(test, explanation(engines[name], 'private', error));
  }
};

/** What a tour prints beyond the outputs that its page shows. */
export type OutputCheck = (output: string) => void;

/** The commands that start a database in Docker, and the block `database` for it. */
const databases = {
  mongodb: {
    starting: `docker run --detach --rm --name tour-mongodb --publish 127.0.0.1:27017:27017 mongo:6.0 --replSet rs0
node node_modules/latchkey/deploy/compose/initiate-replica-set.mjs 127.0.0.1:27017
`,
    block: {
      type: 'mongodb',
      connectionString: 'mongodb://127.0.0.1:27017/?directConnection=true',
      databaseName: 'latchkey',
      collectionName: 'users',
    },
  },
  // DynamoDB Local accepts any credentials.
  dynamodb: {
    starting: `docker run --detach --rm --name tour-dynamodb --publish 127.0.0.1:8000:8000 amazon/dynamodb-local:2.6.0
until curl -s -o /dev/null http://127.0.0.1:8000; do sleep 1; done
export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
`,
    block: {
      type: 'dynamodb',
      endpoint: 'http://127.0.0.1:8000',
      region: 'eu-central-1',
      tableName: 'latchkey-users',
      createTable: true,
    },
  },
};

/** Tests that the commands of a page with a tour print what the page shows, on each database. */
export const testTour = (page: string, minBlocks: number, checkOutput: OutputCheck = () => undefined): void => {
  const all = fencedBlocksOf(page);
  const find = (text: string, language = 'sh'): FencedBlock => {
    const found = all.find((block) => block.language === language && block.text.includes(text));
    if (found === undefined) throw new Error(`no block of ${language} has ${text}`);
    return found;
  };

  const installing = all.find(({ text }) => text.startsWith('npm init'));
  const configuration = find('# latchkey.yaml', 'yaml');
  const serving = find('npx latchkey serve');

  /** The commands after the start of the service, and the outputs below them. */
  const walk = all.slice(all.indexOf(serving) + 1);

  /** Runs the whole tour on a database. */
  const follow = async (tour: Tour, database: object): Promise<void> => {
    await tour.configure(parse(configuration.text), database);
    for (const block of all.slice(0, all.indexOf(serving)).filter(isShell))
      if (block !== installing) await tour.run(block.text);
    const service = tour.start(serving.text);
    await service.until(() => service.stdout.includes('"listening"'));
    const listening = service.log.find(({ msg }) => msg === 'listening');
    tour.replace('http://127.0.0.1:8080', String(listening?.url));
    tour.replace('http://127.0.0.1:8081', String(listening?.admin));
    // A person takes longer to reach the second terminal than a replica set to elect its first primary.
    await eventually(async () => expect((await fetch(`${listening?.admin}/readyz`)).status).to.equal(200), 60_000);
    const end = '=== end of a block ===';
    const commands = walk.filter(isShell);
    const run = tour.start(commands.map(({ text }) => `${text}echo '${end}'\n`).join(''));
    const status = await run.ended;
    const printed = run.stdout.split(`${end}\n`);
    for (const shown of walk.filter(isOutput)) {
      const index = commands.findLastIndex(({ line }) => line < shown.line);
      const actual = printed[index];
      if (actual === undefined || index >= printed.length - 1)
        throw new Error(`the commands above line ${shown.line} failed: ${actual} ${run.stderr}`);
      expect(comparable(shown, actual), `line ${shown.line}`).to.equal(comparable(shown, shown.text));
    }
    expect(status, run.stderr).to.equal(0);
    checkOutput(run.stdout);
  };

  /** Starts a database, and runs the whole tour on it. */
  const followInDocker = async (tour: Tour, name: keyof typeof databases): Promise<void> => {
    const container = `tour-${name}`;
    const { starting, block } = databases[name];
    tour.replace(container, `${container}-${randomUUID()}`);
    tour.replace('docker run', `docker run --label ${await sessionLabel()}`);
    await tour.run(starting);
    try {
      tour.export(starting);
      await follow(tour, JSON.parse(tour.translate(JSON.stringify(block))));
    } finally {
      await tour.run(`docker stop ${container}`);
    }
  };

  describe(`docs/${page}`, () => {
    let modules: string;
    let tour: Tour;
    before('install the package', async function () {
      this.timeout(timeoutMs);
      const folder = await mkdtemp(join(tmpdir(), 'latchkey-tour-'));
      await installPacked(folder);
      modules = join(folder, 'node_modules');
    });
    after(() => rm(join(modules, '..'), { recursive: true }));
    beforeEach(async () => {
      tour = await Tour.create(modules);
    });
    afterEach(() => tour.dispose());

    it('shows the output of every command', () => {
      expect(walk.length).to.be.above(minBlocks);
      for (const [index, block] of walk.entries())
        expect(index % 2 === 0 ? isShell(block) : isOutput(block), `line ${block.line}`).to.equal(true);
    });

    it('shows what the commands print on SQLite', async function () {
      this.timeout(timeoutMs);
      await follow(tour, parse(configuration.text).database);
    });

    it('shows what the commands print on MongoDB', async function () {
      this.timeout(timeoutMs);
      await requireDocker(this, 'mongodb');
      const port = await freePort();
      // The server needs the port by which the member of the replica set is called.
      tour.replace('--replSet rs0', `--replSet rs0 --port ${port}`);
      tour.replace('127.0.0.1:27017:27017', `127.0.0.1:${port}:${port}`);
      tour.replace('127.0.0.1:27017', `127.0.0.1:${port}`);
      await followInDocker(tour, 'mongodb');
    });

    it('shows what the commands print on DynamoDB', async function () {
      this.timeout(timeoutMs);
      await requireDocker(this, 'dynamodb');
      tour.replace('127.0.0.1:8000', `127.0.0.1:${await freePort()}`);
      await followInDocker(tour, 'dynamodb');
    });
  });
};
