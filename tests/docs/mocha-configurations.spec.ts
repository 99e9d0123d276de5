import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { repository, textOf } from './documents.ts';

const folder = 'tests/mocha';
/** The configuration of `npm test`, and of Mocha alone. */
const byDefault = '.mocharc.json';

const filesOf = (pattern: string): readonly string[] => globSync(pattern, { cwd: repository });

interface MochaConfiguration {
  readonly spec: readonly string[];
  readonly ignore: readonly string[];
}

const configurationOf = (path: string): MochaConfiguration => {
  const { spec, ignore = [] } = JSON.parse(readFileSync(join(repository, path), 'utf8'));
  return { spec: [spec].flat(), ignore };
};

/** The spec files that the configuration at a path runs. */
const specsOf = (path: string): readonly string[] => {
  const { spec, ignore } = configurationOf(path);
  const ignored = new Set(ignore.flatMap(filesOf));
  return [...new Set(spec.flatMap(filesOf))].filter((path) => !ignored.has(path));
};

describe('The Mocha configurations', () => {
  for (const path of [byDefault, ...readdirSync(join(repository, folder)).map((file) => `${folder}/${file}`)]) {
    it(`name existing files: ${path}`, () => {
      const { spec, ignore } = configurationOf(path);
      for (const pattern of [...spec, ...ignore]) expect(filesOf(pattern), pattern).not.to.be.empty;
      // Mocha finds no file for a pattern with braces and without another wildcard, and only warns.
      for (const pattern of spec.filter((text) => text.includes('{'))) expect(pattern).to.include('*');
    });
  }

  it('run every spec file with some script of package.json', () => {
    const scripts = Object.values<string>(JSON.parse(textOf('package.json')).scripts).join('\n');
    const named = [...scripts.matchAll(/--config (\S+)/g)].map(([, path = '']) => path);
    expect([byDefault, ...named].flatMap(specsOf)).to.include.members(filesOf('tests/**/*.spec.ts'));
  });

  it('run with a limit over all, in package.json and in .ci/run', () => {
    const scripts = Object.values<string>(JSON.parse(textOf('package.json')).scripts);
    const runs = [...scripts, ...textOf('.ci/run').split('\n')].filter((line) =>
      /\bmocha(?:\.js)?(?: --|$)/.test(line),
    );
    expect(runs).to.have.lengthOf.at.least(10);
    const limited = /node tools\/limited\.js \d+ /;
    // In .ci/run, `mocha` is a function that limits.
    for (const run of runs.filter((line) => !/^(?:start|step| *mocha) /.test(line))) expect(run).to.match(limited);
  });

  it('run with test:all what test, test:process and test:engines run', () => {
    const parts = [byDefault, `${folder}/process.json`, `${folder}/engines.json`];
    expect(specsOf(`${folder}/all.json`)).to.have.members(parts.flatMap(specsOf));
  });
});
