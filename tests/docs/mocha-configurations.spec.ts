import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { repository, textOf } from './documents.ts';

const folder = 'tests/mocha';

const filesOf = (pattern: string): readonly string[] => globSync(pattern, { cwd: repository });

interface MochaConfiguration {
  readonly spec: readonly string[];
  readonly ignore: readonly string[];
}

const configurationOf = (file: string): MochaConfiguration => {
  const { spec, ignore = [] } = JSON.parse(readFileSync(join(repository, folder, file), 'utf8'));
  return { spec: [spec].flat(), ignore };
};

/** The spec files that a configuration runs. */
const specsOf = (name: string): readonly string[] => {
  const { spec, ignore } = configurationOf(`${name}.json`);
  const ignored = new Set(ignore.flatMap(filesOf));
  return [...new Set(spec.flatMap(filesOf))].filter((path) => !ignored.has(path));
};

describe('The Mocha configurations', () => {
  for (const file of readdirSync(join(repository, folder))) {
    it(`name existing files: ${file}`, () => {
      const { spec, ignore } = configurationOf(file);
      for (const pattern of [...spec, ...ignore]) expect(filesOf(pattern), pattern).not.to.be.empty;
    });
  }

  it('run every spec file with some script of package.json', () => {
    const scripts = Object.values<string>(JSON.parse(textOf('package.json')).scripts).join('\n');
    const names = [...scripts.matchAll(/--config (\S+)/g)].map(([, path = '']) => basename(path, '.json'));
    expect(names.flatMap(specsOf)).to.include.members(filesOf('tests/**/*.spec.ts'));
  });

  it('run with a limit over all, in package.json and in .ci/run', () => {
    const scripts = Object.values<string>(JSON.parse(textOf('package.json')).scripts);
    const runs = [...scripts, ...textOf('.ci/run').split('\n')].filter((line) => /\bmocha(?:\.js)? --/.test(line));
    expect(runs).to.have.lengthOf.at.least(10);
    const limited = /node tools\/limited\.js \d+ /;
    // In .ci/run, `mocha` is a function that limits.
    for (const run of runs.filter((line) => !/^(?:start|step| *mocha) /.test(line))) expect(run).to.match(limited);
  });

  it('run with test:all what test, test:process and test:engines run', () => {
    expect(specsOf('all')).to.have.members(['default', 'process', 'engines'].flatMap(specsOf));
  });
});
