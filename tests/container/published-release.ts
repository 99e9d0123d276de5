import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Run } from '../process/run.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * Runs a command to its end, while this process goes on to serve the registry of packages. Resolves with its output; rejects
 * with all of it if the command fails.
 */
export const run = async (
  folder: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> => {
  const started = new Run(spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  const status = await started.ended;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${started.stdout}${started.stderr}`);
  return started.stdout;
};

/** Copies the sources as they are now into a clone of their own, with one commit, and the installed packages. */
const cloneInto = async (folder: string): Promise<void> => {
  mkdirSync(folder);
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed.toString().split('\0');
  const present = files.filter((file) => file !== '' && existsSync(join(root, file)));
  const archive = execFileSync('tar', ['-c', '--null', '--files-from=-'], {
    cwd: root,
    input: [...new Set(present)].join('\0'),
    maxBuffer: 2 ** 30,
  });
  execFileSync('tar', ['-x'], { cwd: folder, input: archive });
  // As hard links where that is possible.
  const modules = [join(root, 'node_modules'), join(folder, 'node_modules')];
  if (spawnSync('cp', ['-al', ...modules]).status !== 0) await run(root, 'cp', ['-a', ...modules]);
  await run(folder, 'git', ['init', '--quiet']);
  await run(folder, 'git', ['add', '.']);
  await run(folder, 'git', [
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@example.com',
    'commit',
    '--quiet',
    '-m',
    'A release',
  ]);
};

/**
 * The variables of a user's shell, with the registry of packages at a host. npm sets some for the scripts of this clone,
 * which would change what npm does.
 */
export const userEnvironment = (folder: string, host: string): NodeJS.ProcessEnv => {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|LATCHKEY_CONFIG$|INIT_CWD$)/.test(name));
  const userconfig = join(folder, 'npmrc');
  writeFileSync(userconfig, `//${host}/:_authToken=any\n`);
  return {
    ...Object.fromEntries(own),
    npm_config_registry: `http://${host}/`,
    npm_config_userconfig: userconfig,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_audit: 'false',
    npm_config_yes: 'true',
  };
};

/**
 * Builds a release in a clone, and publishes it to the registry of packages of `environment` and to the one of images and
 * charts at a host, as the workflow does. Resolves with the folder of its files; the clone is gone then.
 */
export const publishRelease = async (folder: string, host: string, environment: NodeJS.ProcessEnv): Promise<string> => {
  const clone = join(folder, 'clone');
  await cloneInto(clone);
  await run(clone, 'npm', ['run', 'release', '--', '--image', `${host}/latchkey`]);
  const release = join(folder, 'release');
  await run(folder, 'mv', [join(clone, 'release'), release]);
  rmSync(clone, { recursive: true });

  await run(release, 'npm', ['publish', `./latchkey-${version}.tgz`], environment);
  const archive = `oci-archive:latchkey-${version}-linux-${process.arch.replace('x64', 'amd64')}.oci.tar`;
  const insecure = ['--insecure-policy', '--dest-tls-verify=false'];
  await run(release, 'skopeo', ['copy', ...insecure, archive, `docker://${host}/latchkey:${version}`]);
  const chart = `latchkey-chart-${version}.tgz`;
  await run(release, 'helm', ['push', chart, `oci://${host}/charts`, '--plain-http']);
  return release;
};
