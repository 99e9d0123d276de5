import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { installPacked } from '../process/packed.ts';
import { Run } from '../process/run.ts';
import { type FencedBlock, fencedBlocksOf } from './fenced-blocks.ts';

const isShell = ({ language }: FencedBlock): boolean => language === 'sh';
const isOutput = ({ language }: FencedBlock): boolean => language === 'text' || language === 'json';
/** How long the tour may take on a slow machine. */
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

/** A folder in which the package is installed, with the processes that the tour starts there. */
class Tour {
  private readonly runs: Run[] = [];
  /** Replacements for the addresses of the page, which other programs may use. */
  private readonly replacements = new Map<string, string>();

  private constructor(private readonly folder: string) {}

  static async create(modules: string): Promise<Tour> {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-tour-'));
    await symlink(modules, join(folder, 'node_modules'));
    return new Tour(folder);
  }

  replace(shown: string, used: string): void {
    this.replacements.set(shown, used);
  }

  private translate(text: string): string {
    return [...this.replacements].reduce((translated, [shown, used]) => translated.replaceAll(shown, used), text);
  }

  /** Starts commands in a shell, in a process group with their children. */
  start(commands: string): Run {
    const { LATCHKEY_CONFIG: _, ...env } = process.env;
    const args = ['-euo', 'pipefail', '-c', this.translate(commands)];
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

  /** Writes the configuration of the page, on free ports. */
  async configure(shown: { readonly server: object }): Promise<void> {
    const server = { ...shown.server, port: 0, adminPort: 0 };
    await writeFile(join(this.folder, 'latchkey.yaml'), stringify({ ...shown, server }));
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

/** What a tour prints beyond the outputs that its page shows. */
export type OutputCheck = (output: string) => void;

/** Tests that the commands of a page with a tour print what the page shows. */
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

  const follow = async (tour: Tour): Promise<void> => {
    await tour.configure(parse(configuration.text));
    for (const block of all.slice(0, all.indexOf(serving)).filter(isShell))
      if (block !== installing) await tour.run(block.text);
    const service = tour.start(serving.text);
    await service.until(() => service.stdout.includes('"listening"'));
    const listening = service.log.find(({ msg }) => msg === 'listening');
    tour.replace('http://127.0.0.1:8080', String(listening?.url));
    tour.replace('http://127.0.0.1:8081', String(listening?.admin));
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

    it('shows what the commands print', async function () {
      this.timeout(timeoutMs);
      await follow(tour);
    });
  });
};
