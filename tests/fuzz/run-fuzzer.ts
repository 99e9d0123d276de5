// `npm run fuzz [MINUTES] [KIND…]`: feeds the decoders of what strangers send with what Jazzer.js makes up, guided by the
// code that each input reaches. It goes on with the inputs of former runs, and ends with the first one that breaks a decoder.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'rolldown';
import { kinds, seedsOf } from './all-targets.ts';

/** Not a dependency: it takes a hundred packages, and its native code a newer C library (glibc 2.38) than Debian 12 has. */
const jazzerPackage = '@jazzer.js/core@4.0.0';
/** Longer inputs reach no other code: those of 64 KiB come from `fuzz`. */
const maxInputBytes = 4096;
/** The processor time is bounded by `fuzz`; this ends what never returns, also on a busy machine. */
const timeoutSeconds = 120;

const folder = resolve('node_modules/.cache/fuzz');
const bundle = join(folder, 'targets.cjs');
/** The code that guides: that of the service, and of the packages that parse what strangers send. */
const guiding = [
  bundle,
  ...['ipaddr.js', 'jsonwebtoken', 'jws', 'negotiator', 'parseurl'].map((name) => `node_modules/${name}/`),
];

const [minutes = '10', ...chosen] = process.argv.slice(2);
const run = Object.entries(kinds).filter(([name]) => chosen.length === 0 || chosen.includes(name));
const totalWeight = run.reduce((sum, [, { weight }]) => sum + weight, 0);

/** Fuzzes a kind; resolves with the last line about the progress, and whether everything held. */
const fuzzKind = async (name: string, seeds: readonly Buffer[], seconds: number) => {
  const corpus = join(folder, 'corpus', name);
  await mkdir(corpus, { recursive: true });
  for (const seed of seeds) await writeFile(join(corpus, createHash('sha1').update(seed).digest('hex')), seed);
  const options = [
    `-max_total_time=${seconds}`,
    `-max_len=${maxInputBytes}`,
    `-artifact_prefix=${join(folder, name)}-`,
    '-rss_limit_mb=4096',
  ];
  // JAZZER: another program than the one that npm installs for this run.
  const jazzer = process.env.JAZZER?.split(' ') ?? [
    'npm',
    'exec',
    '--yes',
    `--package=${jazzerPackage}`,
    '--',
    'jazzer',
  ];
  const included = guiding.flatMap((path) => ['--includes', path]);
  const [command = '', ...args] = [...jazzer, bundle, corpus, ...included, `--timeout=${timeoutSeconds * 1000}`];
  const child = spawn(command, [...args, '--', ...options], {
    env: { ...process.env, FUZZ_KIND: name },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const ended = new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done));
  let progress = '';
  for await (const line of createInterface({ input: child.stderr })) {
    // The fuzzer may end a line of its own with that of an error.
    if (/^#\d+\s/.test(line) && !line.includes('==')) progress = line;
    else if (!/^INFO: |^"|^###/.test(line)) process.stderr.write(`${line}\n`);
  }
  return { progress, holds: (await ended) === 0 };
};

await mkdir(folder, { recursive: true });
await build({
  input: 'tests/fuzz/all-targets.ts',
  platform: 'node',
  external: (id) => !/^[./]/.test(id),
  output: { file: bundle, format: 'cjs' },
});
for (const [name, kind] of run) {
  const seconds = Math.ceil((Number(minutes) * 60 * kind.weight) / totalWeight);
  const { progress, holds } = await fuzzKind(name, seedsOf(kind), seconds);
  process.stdout.write(`${name}: ${progress}\n`);
  if (!holds) {
    process.exitCode = 1;
    break;
  }
}
