// `npm run release` builds everything that is published of a version, from a clone without changes, into release/. It
// publishes nothing: .github/workflows/release.yaml does that with these files.
//
//   --image NAME   the name under which the image will be published, which becomes the default of the chart
//   --base IMAGE   the base of the image, such as node:24-bookworm-slim@sha256:…
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readSource, type Source } from './preconditions.ts';

const folder = 'release';

const run = (command: string, args: readonly string[]): Buffer =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 30 });

/**
 * Packs the Helm chart. Helm writes the time of packing into the archive, so that the files are packed again with the time
 * of the commit: the same commit gives the same bytes.
 */
const packChart = ({ version, commitTimeSeconds }: Source, work: string, image: string | undefined): void => {
  run('helm', ['package', 'deploy/helm/latchkey', '--destination', work]);
  run('tar', ['-xzmf', join(work, `latchkey-${version}.tgz`), '-C', work]);
  if (image !== undefined) {
    const values = join(work, 'latchkey/values.yaml');
    const text = readFileSync(values, 'utf8');
    const named = text.replace(/^( {2}repository: )latchkey$/m, (_, key: string) => `${key}${image}`);
    if (named === text) throw new Error('values.yaml of the chart has no line "  repository: latchkey"');
    writeFileSync(values, named);
  }
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const order = ['--format=ustar', '--sort=name', `--mtime=@${commitTimeSeconds}`];
  const archive = run('tar', ['-c', ...order, ...owner, '-C', work, 'latchkey']);
  // Not latchkey-VERSION.tgz, the name of the npm package.
  writeFileSync(join(folder, `latchkey-chart-${version}.tgz`), gzipSync(archive, { level: 9 }));
};

/** Builds the image for the architecture of this machine, and writes it as an OCI archive. */
const buildImage = ({ version, commit }: Source, work: string, base: string | undefined): void => {
  const idFile = join(work, 'image-id');
  const labels = { 'org.opencontainers.image.version': version, 'org.opencontainers.image.revision': commit };
  run('docker', [
    ...['build', '--network=host', '--quiet', '--iidfile', idFile],
    ...Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...(base === undefined ? [] : ['--build-arg', `BASE=${base}`]),
    '.',
  ]);
  const id = readFileSync(idFile, 'utf8').trim();
  const platform = run('docker', ['image', 'inspect', '--format', '{{.Os}}-{{.Architecture}}', id]).toString().trim();
  const saved = join(work, 'image.tar');
  run('docker', ['save', '--output', saved, id]);
  const archive = join(folder, `latchkey-${version}-${platform}.oci.tar`);
  // The policy of a machine is for images that it runs; this one was built a moment ago.
  run('skopeo', [
    'copy',
    '--insecure-policy',
    '--quiet',
    `docker-archive:${saved}`,
    `oci-archive:${archive}:${version}`,
  ]);
};

const checksumOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, file)), hash);
  return `${hash.digest('hex')}  ${file}\n`;
};

const build = async (): Promise<void> => {
  const { values } = parseArgs({ options: { image: { type: 'string' }, base: { type: 'string' } } });
  const source = readSource();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const work = mkdtempSync(join(tmpdir(), 'latchkey-release-'));
  try {
    console.log('packing the npm package');
    // Its script prepack builds dist/.
    run('npm', ['pack', '--silent', '--pack-destination', folder]);
    copyFileSync('dist/sbom.cdx.json', join(folder, `latchkey-${source.version}.sbom.cdx.json`));
    console.log('packing the Helm chart');
    packChart(source, work, values.image);
    console.log('building the image');
    buildImage(source, work, values.base);
  } finally {
    rmSync(work, { recursive: true });
  }
  writeFileSync(join(folder, 'NOTES.md'), `${source.notes}\n`);
  const files = readdirSync(folder).sort();
  const checksums = await Promise.all(files.map(checksumOf));
  writeFileSync(join(folder, 'SHA256SUMS'), checksums.join(''));
  console.log(`release/ of ${source.version}, commit ${source.commit}:\n${checksums.join('')}`);
};

try {
  await build();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
