import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CallersProject } from '../process/published.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const blocks = fencedBlocksOf('testing.md');
const tests = blocks
  .filter(({ language }) => language === 'js')
  .map(({ text }) => ({ name: /^\/\/ ([\w.]+)/.exec(text)?.[1] ?? '', text }));
const inProcess = tests.filter(({ name }) => name !== 'container.test.js' && name !== 'jane.globals.test.js');

describe('docs/testing.md', () => {
  let project: CallersProject;
  before(() => {
    project = new CallersProject();
    for (const { name, text } of tests) project.write(name, text);
    // Like npm init; the packages that the same block installs exist already.
    project.write('package.json', '{"type":"commonjs"}');
    const [setUp = ''] = blocks.flatMap(({ text }) => (text.startsWith('npm init') ? [text] : []));
    const commands = setUp.split('\n').filter((line) => !/^npm (pack|install) /.test(line));
    project.run('bash', ['-euc', commands.join('\n')]);
  });
  after(() => project.dispose());

  it('names the tested version of Testcontainers', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const [, major] = /^\^(\d+)/.exec(manifest.devDependencies.testcontainers) ?? [];
    expect(blocks.map(({ text }) => text)).to.include(`npm install --save-dev testcontainers@${major}\n`);
  });

  it('names all of its programs', () => {
    expect(tests.map(({ name }) => name)).to.have.members([
      'jane.test.js',
      'recovery.test.js',
      'container.test.js',
      'jane.globals.test.js',
    ]);
  });

  it('shows in-process tests that pass', function () {
    this.timeout(30_000);
    const { stdout } = project.node(['--test', ...inProcess.map(({ name }) => name)]);
    expect(stdout).to.match(/pass 2\n/);
  });
});
