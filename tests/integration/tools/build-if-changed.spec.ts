import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const tool = fileURLToPath(new URL('../../../tools/build.js', import.meta.url));

/** Stands for the build: removes dist/, copies a source to it, and fails if that is broken. */
const fakeBuild = `
  import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
  rmSync('dist', { recursive: true, force: true });
  mkdirSync('dist');
  cpSync('domain/user.ts', 'dist/main.js');
  if (readFileSync('dist/main.js', 'utf8').includes('broken')) throw new Error('broken');
`;

const current = 'The build in dist/ is up to date.\n';

describe('a build only if something changed', () => {
  let folder = '';
  const write = async (file: string, content: string): Promise<void> => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  };
  const run = (...args: readonly string[]) => {
    const { status, stdout } = spawnSync(process.execPath, ['tools/build.js', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, stdout };
  };
  const start = () => run('--if-changed');
  const building = (reason: string) => ({ status: 0, stdout: `Building, because ${reason} …\n` });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-build-'));
    await write('package.json', '{"type":"module"}');
    await write('package-lock.json', '{}');
    await write('tsconfig.json', '{}');
    await write('domain/user.ts', 'one');
    await write('domain/rules.ts', 'one');
    await write('tools/typescript.js', '');
    await write('tools/build/main.ts', fakeBuild);
    await copyFile(tool, join(folder, 'tools/build.js'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('builds at first, and then not again, whatever the times of the files are', async () => {
    expect(start()).to.deep.equal(building('there is no complete build'));
    await utimes(join(folder, 'domain/user.ts'), new Date(), new Date());
    expect(start()).to.deep.equal({ status: 0, stdout: current });
  });

  it('takes over the build of npm run build', () => {
    expect(run()).to.deep.equal({ status: 0, stdout: '' });
    expect(start().stdout).to.equal(current);
  });

  for (const file of ['domain/user.ts', 'tools/build/main.ts', 'package-lock.json', 'tsconfig.json'])
    it(`builds after a change of ${file}, also to an older one`, async () => {
      run();
      const content = await readFile(join(folder, file), 'utf8');
      await write(file, `${content} `);
      await utimes(join(folder, file), new Date(0), new Date(0));
      expect(start()).to.deep.equal(building(`${file} changed`));
      expect(start().stdout).to.equal(current);
    });

  it('builds after a new, a removed and a newly installed file', async () => {
    run();
    await write('adapters/new/index.ts', '');
    expect(start()).to.deep.equal(building('adapters/new/index.ts changed'));
    await rm(join(folder, 'domain/rules.ts'));
    expect(start()).to.deep.equal(building('domain/rules.ts changed'));
    await write('node_modules/.package-lock.json', '{}');
    expect(start()).to.deep.equal(building('node_modules/.package-lock.json changed'));
  });

  it('builds again after a build that failed, and ends with its status', async () => {
    run();
    await write('domain/user.ts', 'broken');
    await write('domain/rules.ts', 'two');
    const failed = start();
    expect(failed.status).to.equal(1);
    expect(failed.stdout).to.match(/^Building, because domain\/\w+\.ts and 1 more changed …\n$/);
    await write('domain/user.ts', 'one');
    await write('domain/rules.ts', 'one');
    expect(start()).to.deep.equal(building('there is no complete build'));
  });

  it('builds again after a part of the build was removed', async () => {
    run();
    await rm(join(folder, 'dist/main.js'));
    expect(start()).to.deep.equal(building('dist/main.js is missing'));
    await rm(join(folder, 'dist'), { recursive: true });
    expect(start()).to.deep.equal(building('there is no complete build'));
  });

  it('ignores the types of the client, which the build generates', async () => {
    run();
    await write('sdk/client/openapi.ts', '');
    await write('sdk/client/admin-openapi.ts', '');
    expect(start().stdout).to.equal(current);
  });
});
