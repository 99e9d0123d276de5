import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Installation, type Serving } from '../process/installation.ts';
import { repository, textOf } from './documents.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const file = 'jane.globals.test.js';
const program = fencedBlocksOf('testing.md').find(({ text }) => text.startsWith(`// ${file}\n`))?.text ?? '';

/** A folder in which vitest and Jest are installed; Latchkey itself needs neither. */
const { TEST_RUNNERS: runners } = process.env;

describe('docs/testing.md in other runners and languages', function () {
  this.timeout(120_000);
  let installation: Installation;
  let serving: Serving;
  before(async () => {
    installation = await Installation.create();
    await installation.configure({
      database: { type: 'memory' },
      auth: { keys: [{ application: 'test', secret: 'test-only-secret' }] },
    });
    serving = await installation.serve();
  });
  after(() => installation.dispose());

  const run = (command: string, args: readonly string[]) => {
    const env = { ...process.env, LATCHKEY_URL: serving.url, LATCHKEY_ADMIN_URL: serving.adminUrl };
    return spawnSync(command, args, { cwd: installation.folder, env, encoding: 'utf8' });
  };

  for (const { name, module, args } of [
    { name: 'vitest', module: 'vitest/vitest.mjs', args: ['run', '--globals'] },
    { name: 'jest', module: 'jest/bin/jest.js', args: ['--rootDir=.'] },
  ])
    for (const { type, extension } of [
      { type: 'module', extension: 'js' },
      { type: 'commonjs', extension: 'mjs' },
    ])
      it(`shows a test for ${name} that passes in a project of type ${type}`, async function () {
        expect(program).to.include('startLatchkey');
        if (runners === undefined || !existsSync(join(runners, 'node_modules', module))) {
          console.warn(`TEST_RUNNERS names no folder with ${name}: its test in docs/testing.md was NOT run`);
          this.skip();
        }
        const named = file.replace(/js$/, extension);
        await installation.write('package.json', JSON.stringify({ type }));
        await installation.write(named, program);
        const modules = join(installation.folder, 'node_modules');
        if (!existsSync(modules)) symlinkSync(join(runners, 'node_modules'), modules);
        if (!existsSync(join(modules, 'latchkey'))) symlinkSync(repository, join(modules, 'latchkey'));
        const script = ['--experimental-vm-modules', join('node_modules', module), ...args, named];
        const { status, stdout, stderr } = run(process.execPath, script);
        expect(status, stdout + stderr).to.equal(0);
        expect(stdout + stderr).to.match(/1 passed/);
      });

  for (const { language, file, command, args, sign } of [
    { language: 'python', file: 'test_jane.py', command: 'python3', args: ['-m', 'unittest', 'test_jane'], sign: 'OK' },
    { language: 'java', file: 'Readiness.java', command: 'java', args: ['Readiness.java'], sign: 'ready' },
  ])
    it(`links a readiness loop in ${language} that works`, async function () {
      expect(textOf('docs/testing.md')).to.include(`(../examples/testing/${file})`);
      if (spawnSync(command, ['--version']).error !== undefined) {
        console.warn(`${command} is not installed: the readiness loop in ${language} was NOT run`);
        this.skip();
      }
      await installation.write(file, textOf(`examples/testing/${file}`));
      const { status, stdout, stderr } = run(command, args);
      expect(status, stderr).to.equal(0);
      expect(stdout + stderr).to.include(sign);
    });
});
