import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { basic, Client } from '../../sdk/contract/http/client.ts';
import { SecretLeakDetector } from '../../sdk/contract/http/secret-leak-detector.ts';
import { Run } from '../process/run.ts';
import { skipSuite } from '../support/engines/skipped-suites.ts';
import { docker } from './image.ts';
import { ImageRegistry } from './image-registry.ts';
import { NpmRegistry } from './npm-registry.ts';
import { publishRelease, root, run, userEnvironment, version } from './published-release.ts';

/** What is read of an object in the output of Helm. */
interface KubernetesObject {
  readonly kind: string;
  readonly spec?: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

/** A program of a user, who has nothing but the package. */
const program = `
import { createClient, type Outcome } from 'latchkey/client';
import { startLatchkey } from 'latchkey/testing';

const { url, credentials, stop } = await startLatchkey();
const client = createClient({ url, ...(credentials && { credentials }) });
await client.createUser({ email: { address: 'jane@example.com' }, password: 'correct horse' });
const outcome: Outcome = await client.getUser({ email: 'jane@example.com', password: 'correct horse' });
console.log(outcome.ok ? outcome.user.email.address : outcome.problem.code);
await stop();
`;

const createAndRead = async (url: string, authorization: string): Promise<void> => {
  const client = new Client(url, authorization, new SecretLeakDetector());
  const account = await client.postUser();
  expect((await client.read(account)).json).to.deep.include({
    email: { address: account.address, verified: false, verificationToken: null },
  });
};

describe('a release, used without a clone', function () {
  // It builds everything; minutes on a machine that has not built the image before.
  this.timeout(900_000);
  let folder = '';
  let packages: NpmRegistry | undefined;
  let images: ImageRegistry | undefined;
  let release = '';
  /** The variables of a user's shell. npm sets some for the scripts of this clone, which would change what npm does. */
  let environment: NodeJS.ProcessEnv = {};

  before(async function () {
    const missing = ['skopeo', 'docker-registry', 'helm'].filter((name) => spawnSync(name, ['--help']).error);
    if (missing.length > 0) skipSuite(this, `the release needs ${missing.join(', ')}`, 'REQUIRE_HELM');
    folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'));
    packages = await NpmRegistry.start();
    images = await ImageRegistry.start(join(folder, 'images'));
    environment = userEnvironment(folder, packages.host);
    release = await publishRelease(folder, images.host, environment);
  });
  after(async () => {
    // Unless no test has pulled it.
    await docker('image', 'rm', `${images?.host}/latchkey:${version}`).catch(() => undefined);
    await images?.stop();
    await packages?.stop();
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  const emptyFolder = (): string => mkdtempSync(join(folder, 'user-'));

  it('has checksums for all of its files, which sha256sum accepts', async () => {
    const names = readFileSync(join(release, 'SHA256SUMS'), 'utf8').match(/(?<= {2}).+/g);
    expect([...(names ?? []), 'SHA256SUMS'].sort()).to.deep.equal(readdirSync(release).sort());
    await run(release, 'sha256sum', ['--check', '--strict', 'SHA256SUMS']);
    expect(
      JSON.parse(readFileSync(join(release, `latchkey-${version}.sbom.cdx.json`), 'utf8')),
    ).to.have.nested.property('metadata.component.version', version);
  });

  it('starts with npx latchkey in an empty folder', async () => {
    const user = emptyFolder();
    expect(await run(user, 'npx', ['latchkey', '--version'], environment)).to.include(version);
    const yaml = '{server: {port: 0, adminPort: 0}, database: {type: sqlite, path: users.db}, email: {type: none}';
    writeFileSync(
      join(user, 'latchkey.yaml'),
      `${yaml}, auth: {type: basic, keys: [{application: dev, secret: development-only}]}}`,
    );
    const options = { cwd: user, env: environment, detached: true } as const;
    const service = new Run(spawn('npx', ['latchkey', 'serve', 'latchkey.yaml'], options));
    try {
      await service.until(() => service.stdout.includes('"listening"'));
      const url = String(service.log.find(({ msg }) => msg === 'listening')?.url);
      await createAndRead(url, basic('dev', 'development-only'));
    } finally {
      // The group, because npx starts the service through a shell.
      if (service.child.pid !== undefined) process.kill(-service.child.pid, 'SIGTERM');
      await service.ended;
    }
    expect(service.stdout).to.include('"stopped"');
  });

  it('serves the tests of a TypeScript project after npm install latchkey', async () => {
    const project = emptyFolder();
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    await run(project, 'npm', ['install', 'latchkey'], environment);
    writeFileSync(join(project, 'use.ts'), program);
    // The compiler and the types of Node.js are those of this clone, to save their download.
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
    symlinkSync(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
    const strict = ['--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    await run(project, process.execPath, [join(root, 'node_modules/@typescript/native/bin/tsc'), ...strict, 'use.ts']);
    expect(await run(project, process.execPath, ['use.js'], environment)).to.include('jane@example.com\n');
  });

  /** The objects of the chart in the registry. An install needs a cluster. */
  const rendered = async (...flags: readonly string[]): Promise<readonly KubernetesObject[]> => {
    const chart = [`oci://${images?.host}/charts/latchkey`, '--version', version, '--plain-http'];
    const text = await run(emptyFolder(), 'helm', ['template', 'accounts', ...chart, ...flags]);
    return parseAllDocuments(text).map((document) => document.toJS());
  };

  it('has a chart with objects that match the schemas of Kubernetes', async function () {
    const user = emptyFolder();
    try {
      await run(user, 'npm', ['install', '--ignore-scripts', 'kubernetes-models@5.1.0'], environment);
    } catch {
      skipSuite(this, 'npm could not install kubernetes-models, the schemas of Kubernetes', 'REQUIRE_HELM');
    }
    const mongodb = JSON.stringify({
      type: 'mongodb',
      connectionString: 'mongodb://localhost/',
      databaseName: 'latchkey',
      collectionName: 'users',
    });
    const objects = [
      ...(await rendered()),
      ...(await rendered(
        '--set=replicas=3,ingress.enabled=true,networkPolicy.enabled=true',
        `--set-json=configuration.database=${mongodb}`,
      )),
    ];
    expect(objects.map(({ kind }) => kind)).to.include.members([
      'Deployment',
      'Service',
      'ConfigMap',
      'Ingress',
      'NetworkPolicy',
    ]);
    const invalid = objects.map((object) => ({ ...object, spec: { ...object.spec, replicas: 'two' } }));
    const validate = `
      import { readFileSync } from 'node:fs';
      for (const object of JSON.parse(readFileSync(0, 'utf8'))) {
        const { [object.kind]: Model } = await import('kubernetes-models/' + object.apiVersion + '/' + object.kind);
        new Model(object).validate();
      }`;
    const errorOf = (input: readonly object[]): string =>
      spawnSync(process.execPath, ['--input-type=module', '--eval', validate], {
        cwd: user,
        input: JSON.stringify(input),
        encoding: 'utf8',
      }).stderr;
    expect(errorOf(objects)).to.equal('');
    expect(errorOf(invalid.filter(({ kind }) => kind === 'Deployment'))).to.include('spec/replicas must be integer');
  });

  it('runs with docker run, as the image that the chart names', async () => {
    const deployment = (await rendered()).find(({ kind }) => kind === 'Deployment');
    const image = deployment?.spec?.template.spec.containers[0]?.image ?? '';
    expect(image).to.equal(`${images?.host}/latchkey:${version}`);

    const name = `latchkey-${randomUUID()}`;
    const secret = randomUUID();
    const flags = [
      '--rm',
      '--name',
      name,
      '--publish',
      '127.0.0.1::8080',
      '--env',
      `LATCHKEY_WEB_APP_SECRET=${secret}`,
    ];
    const service = new Run(spawn('docker', ['run', ...flags, image]));
    try {
      await service.until(() => service.stdout.includes('"listening"'));
      const [address] = (await docker('port', name, '8080')).split('\n');
      await createAndRead(`http://${address}`, basic('web-app', secret));
    } finally {
      service.child.kill('SIGTERM');
      await service.ended;
    }
  });

  it('has the same program in the image as in the package, although each built it for itself', async () => {
    const user = emptyFolder();
    await run(user, 'tar', ['-xzf', join(release, `latchkey-${version}.tgz`)]);
    const list = 'cd $0 && sha256sum $(find . -name "*.js" -not -path "./cache/*" | sort)';
    const image = `${images?.host}/latchkey:${version}`;
    const inImage = await docker('run', '--rm', '--entrypoint', 'sh', image, '-c', list, '/app/dist');
    const packed = new Set((await run(user, 'sh', ['-c', list, 'package/dist'])).split('\n'));
    expect(inImage.split('\n').length).to.be.above(20);
    expect(inImage.split('\n').filter((line) => !packed.has(line))).to.deep.equal([]);
  });
});
