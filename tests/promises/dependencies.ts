import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import * as t from 'io-ts';
import type { Promised } from './promise.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const Lock = t.type({
  packages: t.record(
    t.string,
    t.partial({ dev: t.boolean, integrity: t.string, hasInstallScript: t.boolean, link: t.boolean }),
  ),
});
const Audit = t.type({ metadata: t.type({ vulnerabilities: t.record(t.string, t.number) }) });

const decoded = <A>(codec: t.Type<A, unknown, unknown>, json: string): A | undefined => {
  const value: unknown = JSON.parse(json);
  return codec.is(value) ? value : undefined;
};

const npm = (...args: string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
  spawnSync('npm', args, { cwd: root, encoding: 'utf8', timeout: 60_000 });

/** Production packages that run a script when they are installed, and what the service is without it. */
const withScript: Readonly<Record<string, 'brings its binary' | 'needs its script'>> = {
  argon2: 'brings its binary',
  bcrypt: 'brings its binary',
  // It fetches its binary from its releases, or compiles it; only the embedded store loads it.
  'better-sqlite3': 'needs its script',
};

/** Every package that the service is installed with: its checksum is known, and its script is one that is expected. */
const lockedPackages = (): number => {
  const lock = decoded(Lock, readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = Object.entries(lock?.packages ?? {}).filter(([path, { dev }]) => path !== '' && dev !== true);
  for (const [path, { integrity }] of packages) expect(integrity, `the checksum of ${path}`).to.match(/^sha512-/);
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names.sort(), 'packages with a script at their installation').to.deep.equal(Object.keys(withScript).sort());
  return packages.length;
};

const expectBinaries = (): void => {
  for (const [name, needs] of Object.entries(withScript)) {
    if (needs !== 'brings its binary') continue;
    const binaries = join(root, 'node_modules', name, 'prebuilds', `${process.platform}-${process.arch}`);
    expect(existsSync(binaries), `the binary that ${name} brings`).to.equal(true);
  }
};

/** What the registry knows against the packages; it may not answer the question at all. */
const audit = (): string => {
  const { stdout } = npm('audit', '--omit=dev', '--json');
  const report = decoded(Audit, stdout === '' ? 'null' : stdout);
  if (report === undefined) {
    console.log('\nNOT TESTED: npm audit; the registry of this run does not answer it.\n');
    return 'npm audit NOT TESTED, because the registry did not answer it';
  }
  const { total = 0, ...others } = report.metadata.vulnerabilities;
  expect(total, `known vulnerabilities: ${JSON.stringify(others)}`).to.equal(0);
  return 'npm audit finds nothing';
};

/** Looks at what the service is installed with. */
export const knowsItsDependencies: Promised = {
  name: 'dependencies are locked with checksums, the lock file is in step, none is known to be vulnerable, and only the embedded store needs an install script',
  rounds: { short: 1, long: 1 },
  patience: 90_000,
  run: async () => {
    const count = lockedPackages();
    expectBinaries();
    // It refuses a lock file that package.json has outrun.
    const { status, stderr } = npm('ci', '--dry-run', '--offline', '--ignore-scripts');
    expect(status, stderr).to.equal(0);
    return `${count} packages locked with checksums, lock file in step, scripts of ${Object.keys(withScript).join(', ')} (needed by better-sqlite3 only), ${audit()}`;
  },
};
