import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const release = [`--import=${root}/tools/typescript.js`, `${root}/tools/release/release.ts`];

describe('npm run release', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'));
    write('package.json', '{ "version": "1.2.3" }');
    write('CHANGELOG.md', '# Changelog\n\n## [1.2.3] - 2026-11-28\n\n- Something.\n');
    mkdirSync(join(folder, 'deploy/helm/latchkey'), { recursive: true });
    write('deploy/helm/latchkey/Chart.yaml', 'version: 1.2.3\nappVersion: "1.2.3"\n');
    git('init', '--quiet');
    commit();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
  };
  const commit = (): void => {
    git('add', '.');
    git('commit', '--quiet', '--allow-empty', '--message', 'Change');
  };

  /** The reasons of the refusal, with git and npm alone in the path, so that no run gets as far as to build something. */
  const refusal = (): string => {
    const bin = join(folder, '.git/bin');
    mkdirSync(bin);
    for (const name of ['git', 'npm'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
    const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH: bin } } as const;
    const { status, stderr } = spawnSync(process.execPath, [...release], options);
    expect(status).to.equal(1);
    return stderr;
  };

  it('names the programs that are missing, and nothing else when all is well', () => {
    expect(refusal()).to.equal('cannot release 1.2.3:\nnot installed: docker, helm, skopeo\n');
  });

  it('refuses changes that are not committed, and files that Git does not have', () => {
    write('package.json', '{ "version": "1.2.3", "type": "module" }');
    write('new.txt', '');
    expect(refusal()).to.include('not committed:\n M package.json\n?? new.txt\n');
  });

  it('refuses a version without entries in the changelog', () => {
    write(
      'CHANGELOG.md',
      '# Changelog\n\n## [Unreleased]\n\n- Something.\n\n## [1.2.3] - 2026-11-28\n\n## [1.2.2] - …\n',
    );
    commit();
    expect(refusal()).to.include('CHANGELOG.md has no section "## [1.2.3] - DATE"');
  });

  it('refuses a chart of another version', () => {
    write('deploy/helm/latchkey/Chart.yaml', 'version: 1.2.3\nappVersion: "1.2.2"\n');
    commit();
    expect(refusal()).to.include('Chart.yaml is not of version 1.2.3');
  });

  it('refuses a version that was released from another commit', () => {
    git('tag', 'v1.2.3');
    commit();
    expect(refusal()).to.include('the tag v1.2.3 belongs to another commit');
  });
});
