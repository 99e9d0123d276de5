import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { skipSuite } from '../support/engines/skipped-suites.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}.github/workflows/`;

const textOf = (name: string): Promise<string> => readFile(`${folder}${name}`, 'utf8');

describe('the workflows', () => {
  it('have no problem that actionlint finds', async function () {
    if (spawnSync('actionlint', ['-version']).error)
      skipSuite(this, 'the workflows need actionlint (.ci/run installs it with Go)', 'REQUIRE_ACTIONLINT');
    const files = (await readdir(folder)).map((name) => `${folder}${name}`);
    expect(files).to.have.lengthOf.at.least(2);
    expect(spawnSync('actionlint', files, { cwd: root, encoding: 'utf8' }).stdout).to.equal('');
  });

  it('use actions by commit, with the version in a comment, and a base image by digest', async () => {
    for (const name of await readdir(folder)) {
      const uses = (await textOf(name)).match(/^ *-? *uses: .*$/gm);
      expect(uses, name).to.not.equal(null);
      for (const line of uses ?? []) expect(line).to.match(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    expect(parse(await textOf('release.yaml')).env.BASE).to.match(/^node:24-[\w-]+@sha256:[0-9a-f]{64}$/);
  });

  it('have permissions to publish only in the job that runs nothing from the repository', async () => {
    const { permissions, jobs } = parse(await textOf('release.yaml'));
    expect([permissions, parse(await textOf('ci.yaml')).permissions]).to.deep.equal([
      { contents: 'read' },
      { contents: 'read' },
    ]);
    const permitted = Object.entries<{ permissions?: object; steps: { uses?: string }[] }>(jobs).filter(
      ([, job]) => job.permissions !== undefined,
    );
    expect(permitted.map(([name]) => name)).to.deep.equal(['publish']);
    for (const [, { steps }] of permitted)
      for (const { uses } of steps) expect(uses ?? '').to.not.include('actions/checkout');
  });
});
