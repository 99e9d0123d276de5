// `npm run build` builds dist/, and `npm start` runs this with --if-changed, which builds only if a file that the build reads
// differs from that of the last one, or if dist/ is incomplete. It compares contents, because times change with a checkout.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// A part of dist/ that is not packed; the build removes it first, so that a failed one leaves no record.
const record = 'dist/cache/build.json';

const read = [
  '{adapters,application,bootstrap,domain,sdk,tools/build}/**/*.*',
  'tools/{build,typescript}.js',
  'tools/docs/full-service.ts',
  'tsconfig*.json',
  'package.json',
  // What should be installed, and what is.
  '{,node_modules/.}package-lock.json',
];
/** The build generates these from the others. */
const isGenerated = (file) => /^sdk.client.(admin-)?openapi\.ts/.test(file);

const digests = () =>
  Object.fromEntries(
    globSync(read)
      .filter((file) => !isGenerated(file))
      .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('base64')]),
  );

/** Why a build is needed, as a text; undefined if dist/ is that of these files. */
const reasonToBuild = (inputs) => {
  if (!existsSync(record)) return 'there is no complete build';
  const { inputs: built, outputs } = JSON.parse(readFileSync(record, 'utf8'));
  const missing = outputs.find((file) => !existsSync(join('dist', file)));
  if (missing !== undefined) return `dist/${missing} is missing`;
  const [changed, ...others] = Object.keys({ ...built, ...inputs }).filter((file) => built[file] !== inputs[file]);
  if (changed === undefined) return undefined;
  return `${changed} ${others.length === 0 ? '' : `and ${others.length} more `}changed`;
};

const build = (inputs) => {
  const args = ['--import=./tools/typescript.js', 'tools/build/main.ts'];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) return status ?? 1;
  const outputs = globSync('**', { cwd: 'dist' });
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify({ inputs, outputs }));
  return 0;
};

// Before the build, so that a file that changes meanwhile is built again.
const inputs = digests();
if (process.argv.includes('--if-changed')) {
  const reason = reasonToBuild(inputs);
  console.log(reason === undefined ? 'The build in dist/ is up to date.' : `Building, because ${reason} …`);
  if (reason !== undefined) process.exitCode = build(inputs);
} else process.exitCode = build(inputs);
