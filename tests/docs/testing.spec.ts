import { expect } from 'chai';
import { CallersProject } from '../testing/published.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const blocks = fencedBlocksOf('testing.md');
const tests = blocks
  .filter(({ language }) => language === 'js')
  .map(({ text }) => ({ name: /^\/\/ ([\w.]+)/.exec(text)?.[1] ?? '', text }));
const inProcess = tests.filter(({ name }) => name !== 'container.test.js');

describe('docs/testing.md', () => {
  let project: CallersProject;
  before(() => {
    project = new CallersProject();
    for (const { name, text } of tests) project.write(name, text);
  });
  after(() => project.dispose());

  it('gives each of its programs a name', () => {
    expect(tests.map(({ name }) => name)).to.have.members([
      'jane.test.js',
      'configured.test.js',
      'client.test.js',
      'container.test.js',
    ]);
  });

  it('shows tests in process that pass', function () {
    this.timeout(30_000);
    const { stdout } = project.node(['--test', ...inProcess.map(({ name }) => name)]);
    expect(stdout).to.match(/pass 3\n/);
  });
});
