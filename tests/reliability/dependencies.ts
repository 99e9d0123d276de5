import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import * as t from 'io-ts';
import type { Guarantee } from './guarantee.ts';

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

/** Production packages with native code. They contain their binaries, and need no install script. */
const native = ['argon2', 'bcrypt', 'better-sqlite3'];

/** Every production package has a checksum, and only the expected ones have an install script. */
const lockedPackages = (): number => {
  const lock = decoded(Lock, readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = Object.entries(lock?.packages ?? {}).filter(([path, { dev }]) => path !== '' && dev !== true);
  for (const [path, { integrity }] of packages) expect(integrity, `the checksum of ${path}`).to.match(/^sha512-/);
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(native, 'packages with an install script').to.include.members(names);
  return packages.length;
};

const expectBinaries = (): void => {
  for (const name of native) {
    const binaries = join(root, 'node_modules', name, 'prebuilds', `${process.platform}-${process.arch}`);
    const found = [binaries, `${binaries}.node`].some((path) => existsSync(path));
    expect(found, `the binary inside ${name}`).to.equal(true);
  }
};

/** Runs `npm audit`, which not every registry supports. */
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

/** Checks package-lock.json and the installed packages. */
export const dependencies: Guarantee = {
  name: 'dependencies are locked with checksums, the lock file is current, no vulnerability is known, and no install script is needed',
  rounds: { short: 1, long: 1 },
  timeoutMs: 90_000,
  run: async () => {
    const count = lockedPackages();
    expectBinaries();
    // npm ci fails when package.json and the lock file differ.
    const { status, stderr } = npm('ci', '--dry-run', '--offline', '--ignore-scripts');
    expect(status, stderr).to.equal(0);
    return `${count} packages locked with checksums, lock file current, binaries of ${native.join(', ')} inside the packages, ${audit()}`;
  },
};
