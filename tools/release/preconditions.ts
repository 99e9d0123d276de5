import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The programs that a release runs, by the argument that prints their version. */
const programs = { git: '--version', npm: '--version', docker: '--version', helm: 'version', skopeo: '--version' };

const git = (...args: readonly string[]): string => execFileSync('git', [...args], { encoding: 'utf8' }).trimEnd();

/** The section of a version in the text of CHANGELOG.md, without its heading. Undefined if it has none or an empty one. */
const sectionOf = (changelog: string, version: string): string | undefined => {
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## [${version}] - `));
  return section?.replace(/^.*\n/, '').trim() || undefined;
};

/** What a release is made of. */
export interface Source {
  readonly version: string;
  /** The id of the commit. */
  readonly commit: string;
  /** The time of the commit, in seconds since 1970. */
  readonly commitTimeSeconds: number;
  /** The section of the changelog. */
  readonly notes: string;
}

/**
 * Reads the version in the current folder, which must be a clone. Throws an error that names everything that prevents a
 * release: a program that is missing, changes that are not committed, a version without a section in CHANGELOG.md, a chart
 * of another version, and a version that a tag gives to another commit.
 */
export const readSource = (): Source => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
  const chart: { readonly version: string; readonly appVersion: string } = parse(
    readFileSync('deploy/helm/latchkey/Chart.yaml', 'utf8'),
  );
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const notes = sectionOf(changelog, version);
  const commit = git('rev-parse', 'HEAD');
  const tagged = git('tag', '--list', `v${version}`) && git('rev-list', '--max-count=1', `v${version}`);
  const uncommitted = git('status', '--porcelain');

  const missing = Object.entries(programs).filter(([name, argument]) => spawnSync(name, [argument]).error);
  const obstacles = [
    missing.length > 0 && `not installed: ${missing.map(([name]) => name).join(', ')}`,
    uncommitted !== '' && `not committed:\n${uncommitted}`,
    notes === undefined && `CHANGELOG.md has no section "## [${version}] - DATE"`,
    (chart.version !== version || chart.appVersion !== version) &&
      `deploy/helm/latchkey/Chart.yaml is not of version ${version}`,
    tagged !== '' && tagged !== commit && `the tag v${version} belongs to another commit, ${tagged}`,
  ].filter((obstacle) => obstacle !== false);
  if (notes === undefined || obstacles.length > 0)
    throw new Error(`cannot release ${version}:\n${obstacles.join('\n')}`);

  const unreleased = changelog.split(/^(?=## )/m).find((text) => text.startsWith('## [Unreleased]'));
  if (unreleased?.includes('\n- '))
    console.warn(`CHANGELOG.md has entries under [Unreleased], which the notes of ${version} do not contain.`);
  return { version, commit, commitTimeSeconds: Number(git('log', '-1', '--format=%ct')), notes };
};
