import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { skipSuite } from '../support/engines/skipped-suites.ts';
import { Environment } from '../support/environment.ts';
import { read } from '../unit/bootstrap/configuration/read-configuration.ts';

const run = promisify(execFile);
const chart = fileURLToPath(new URL('../../deploy/helm/latchkey', import.meta.url));
const rules = new URL('../../deploy/prometheus/latchkey.rules.yaml', import.meta.url);

const dig = (value: unknown, keys: readonly (string | number)[]): unknown =>
  keys.reduce<unknown>((inner, key) => Object(inner)[key], value);

/** Renders the chart with values. Returns the Kubernetes objects. */
class Rendered {
  private readonly objects: readonly unknown[];

  constructor(text: string) {
    this.objects = parseAllDocuments(text).map((document) => document.toJS());
  }

  get kinds(): readonly string[] {
    return this.objects.map((object) => String(dig(object, ['kind']))).sort();
  }

  /** A value in the only object of a kind. */
  at(kind: string, ...keys: readonly (string | number)[]): unknown {
    return dig(
      this.objects.find((object) => dig(object, ['kind']) === kind),
      keys,
    );
  }

  /** A value in the Service of the admin port. */
  admin(...keys: readonly (string | number)[]): unknown {
    const services = this.objects.filter((object) => dig(object, ['kind']) === 'Service');
    return dig(
      services.find((object) => dig(object, ['spec', 'ports', 0, 'name']) === 'admin'),
      keys,
    );
  }

  pod(...keys: readonly (string | number)[]): unknown {
    return this.at('Deployment', 'spec', 'template', 'spec', ...keys);
  }

  container(...keys: readonly (string | number)[]): unknown {
    return this.pod('containers', 0, ...keys);
  }

  /** The configuration file of the pods. */
  get configuration(): string {
    return String(this.at('ConfigMap', 'data', 'latchkey.yaml'));
  }
}

const mongodb = {
  database: {
    type: 'mongodb',
    connectionString: '${LATCHKEY_MONGODB_URI}',
    databaseName: 'latchkey',
    collectionName: 'users',
  },
};
const mongodbSecret = { LATCHKEY_MONGODB_URI: { name: 'latchkey', key: 'mongodb' } };

describe('the Helm chart', () => {
  const environment = new Environment();
  let folder = '';
  before(async function () {
    try {
      await run('helm', ['version']);
    } catch {
      skipSuite(this, 'the chart needs helm (go install helm.sh/helm/v3/cmd/helm@latest)', 'REQUIRE_HELM');
    }
    folder = await mkdtemp(join(tmpdir(), 'latchkey-helm-'));
    environment.set('LATCHKEY_WEB_APP_SECRET', 'a secret of an application');
    environment.set('LATCHKEY_MONGODB_URI', 'mongodb://localhost:27017/');
    environment.set('LATCHKEY_POSTGRESQL_URL', 'postgresql://localhost/latchkey');
  });
  after(async () => {
    environment.restore();
    if (folder !== '') await rm(folder, { recursive: true });
  });

  const render = async (values: object = {}, release = 'test'): Promise<Rendered> => {
    const file = join(folder, 'values.yaml');
    await writeFile(file, JSON.stringify(values));
    return new Rendered((await run('helm', ['template', release, chart, '--values', file])).stdout);
  };
  const refusal = async (values: object): Promise<string> =>
    render(values).then(
      () => 'accepted',
      ({ stderr }) => stderr,
    );

  /** The notes after an install. An install needs a cluster, so they are rendered as an object here. */
  const notesOf = async (values: object): Promise<string> => {
    const copy = join(folder, 'with-notes');
    await cp(chart, copy, { recursive: true });
    await copyFile(join(chart, 'templates/NOTES.txt'), join(copy, 'notes.txt'));
    await writeFile(join(copy, 'templates/notes.yaml'), 'notes: {{ tpl (.Files.Get "notes.txt") . | toJson }}\n');
    const file = join(folder, 'values.yaml');
    await writeFile(file, JSON.stringify(values));
    const args = ['template', 'test', copy, '--values', file, '--show-only', 'templates/notes.yaml'];
    return parse((await run('helm', args)).stdout).notes;
  };

  it('passes helm lint', async () => {
    expect((await run('helm', ['lint', '--strict', chart])).stdout).to.include('0 chart(s) failed');
  });

  for (const [what, values, type] of [
    ['by default', {}, 'sqlite'],
    ['with MongoDB', { replicas: 3, secrets: mongodbSecret, configuration: mongodb }, 'mongodb'],
    [
      'with tokens',
      {
        configuration: {
          auth: {
            type: 'oauth',
            issuer: 'me',
            audience: 'accounts',
            requireExpiry: true,
            hmacSecret: 'a text of at least 32 bytes, as it has to be',
          },
        },
      },
      'sqlite',
    ],
  ] as const) {
    it(`${what} renders a valid configuration, with the ports of the probes`, async () => {
      const rendered = await render(values);
      const { configuration, warnings } = await read(rendered.configuration);
      // Only an ingress can terminate TLS, and the chart has none by default.
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0]).to.match(/^server\.host accepts connections from other machines without TLS/);
      const server = { publicUrl: 'https://accounts.example.com' };
      const configured = Object(dig(values, ['configuration']));
      const behindProxy = await render({ ...values, configuration: { ...configured, server } });
      expect((await read(behindProxy.configuration)).warnings).to.deep.equal([]);
      expect(configuration.database.type).to.equal(type);
      expect(configuration.privacy.hidePasswords).to.equal(true);
      const { host, port, adminHost, adminPort } = configuration.server;
      expect([host, adminHost]).to.deep.equal(['0.0.0.0', '0.0.0.0']);
      expect(rendered.container('ports')).to.deep.equal([
        { name: 'http', containerPort: port },
        { name: 'admin', containerPort: adminPort },
      ]);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(rendered.container(probe, 'httpGet', 'port')).to.equal('admin');
    });
  }

  it('accepts the values of docs/deployment.md', async () => {
    const text = await readFile(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
    const [, values = ''] = /```yaml\n(# values\.yaml\n[^`]*)```/.exec(text) ?? [];
    const rendered = await render(parse(values));
    const { configuration, warnings } = await read(rendered.configuration);
    expect(configuration.database.type).to.equal('postgresql');
    expect(rendered.kinds).to.include.members(['Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'ServiceMonitor']);
    // Only the ingress controller is trusted, and only it can connect.
    expect(configuration.server.trustProxy).to.be.an('array').that.is.not.empty;
    expect(warnings).to.deep.equal([]);
    expect(rendered.at('NetworkPolicy', 'spec', 'ingress', 0, 'from', 0)).to.have.all.keys('namespaceSelector');
  });

  it('keeps the SQLite file on a volume that only one pod uses at a time', async () => {
    const rendered = await render();
    const { configuration } = await read(rendered.configuration);
    expect(configuration.database.type).to.equal('sqlite');
    expect(rendered.at('Deployment', 'spec', 'strategy')).to.deep.equal({ type: 'Recreate' });
    expect(rendered.at('PersistentVolumeClaim', 'spec', 'accessModes')).to.deep.equal(['ReadWriteOnce']);
    expect(JSON.stringify(rendered.pod('volumes'))).to.include('{"claimName":"test-latchkey"}');
    expect(await refusal({ replicas: 2 })).to.include("2 pods can't share the embedded database");
    const path = '/var/lib/users.db';
    expect(await refusal({ configuration: { database: { path } } })).to.include('write /data/users.db');
  });

  it('runs several pods with MongoDB, replaces them one by one, and has a disruption budget', async () => {
    const rendered = await render({ replicas: 3, secrets: mongodbSecret, configuration: mongodb });
    expect(rendered.at('Deployment', 'spec', 'strategy', 'rollingUpdate')).to.include({ maxUnavailable: 0 });
    expect(rendered.at('PodDisruptionBudget', 'spec', 'maxUnavailable')).to.equal(1);
    expect(rendered.kinds).to.not.include('PersistentVolumeClaim');
    expect((await render()).kinds).to.not.include('PodDisruptionBudget');
  });

  it('reads secrets from existing Secrets, and names a missing one', async () => {
    const rendered = await render({ secrets: mongodbSecret, configuration: mongodb });
    const [uri, web] = [rendered.container('env', 0), rendered.container('env', 1)];
    const from = (key: string): object => ({ secretKeyRef: { name: 'latchkey', key, optional: false } });
    expect(uri).to.deep.equal({ name: 'LATCHKEY_MONGODB_URI', valueFrom: from('mongodb') });
    expect(web).to.deep.equal({ name: 'LATCHKEY_WEB_APP_SECRET', valueFrom: from('web-app') });
    expect(await refusal({ configuration: mongodb })).to.include('secrets.LATCHKEY_MONGODB_URI:');
    // Not in the environment.
    const aws = { provider: 'secretsmanager', endpoint: 'https://example.com', region: 'eu-central-1' };
    expect(await refusal({ configuration: { ...mongodb, secrets: aws } })).to.equal('accepted');
    const unused = await render({ configuration: { auth: { keys: [] }, openApi: { title: '$${NO_SECRET}' } } });
    expect(unused.container('env', 0, 'valueFrom', 'secretKeyRef', 'optional')).to.equal(true);
  });

  it('has a grace period for accepted requests, for every notation of the operation timeout', async () => {
    const period = async (values: object): Promise<unknown> =>
      (await render(values)).pod('terminationGracePeriodSeconds');
    expect(await period({})).to.equal(40);
    expect(await period({ configuration: { operationTimeout: '2m' } })).to.equal(130);
    expect(await period({ configuration: { operationTimeout: { operationTimeout: '1500ms' } } })).to.equal(12);
    expect(await period({ configuration: { options: { operationTimeout: '1h' } } })).to.equal(3610);
    expect(await period({ terminationGracePeriodSeconds: 90 })).to.equal(90);
    expect(await refusal({ terminationGracePeriodSeconds: 30 })).to.include('at least 36');
  });

  it('runs without root and privileges, and writes only to its volumes', async () => {
    const rendered = await render();
    expect(rendered.pod('securityContext')).to.include({ runAsNonRoot: true, runAsUser: 1000 });
    expect(rendered.container('securityContext')).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('adds a ServiceMonitor, a NetworkPolicy and an Ingress on request', async () => {
    const optional = ['Ingress', 'NetworkPolicy', 'ServiceMonitor'];
    expect((await render()).kinds).to.not.include.members(optional);
    const enabled = { enabled: true };
    const rendered = await render({ ingress: enabled, networkPolicy: enabled, serviceMonitor: enabled });
    expect(rendered.kinds).to.include.members(optional);
    expect(rendered.at('ServiceMonitor', 'spec', 'endpoints', 0, 'path')).to.equal('/metrics');
  });

  it('warns after an install that every pod of the cluster can reach the admin port', async () => {
    const all =
      /^WARNING: every pod of the cluster can reach the service and its admin port: set networkPolicy\.enabled/m;
    const admin = /^WARNING: every pod of the cluster can reach the admin port: set networkPolicy\.adminFrom/m;
    expect(await notesOf({}))
      .to.match(all)
      .and.not.match(admin);
    expect(await notesOf({ networkPolicy: { enabled: false } })).to.match(all);
    expect(await notesOf({ networkPolicy: { enabled: true } }))
      .to.match(admin)
      .and.not.match(all);
    const adminFrom = [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }];
    expect(await notesOf({ networkPolicy: { enabled: true, adminFrom } })).to.not.include('WARNING');
  });

  it('accepts the names of the Service and configured names on the admin port', async () => {
    const names = ['shop-latchkey-admin', 'shop-latchkey-admin.default', 'shop-latchkey-admin.default.svc'];
    const whole = 'shop-latchkey-admin.default.svc.cluster.local';
    const hostsOf = async (values: object) =>
      (await read((await render(values, 'shop')).configuration)).configuration.server.adminHosts;
    expect(await hostsOf({})).to.deep.equal([...names, whole]);
    const adminHosts = ['accounts.example.com'];
    expect(await hostsOf({ configuration: { server: { adminHosts } } })).to.deep.equal([
      ...names,
      whole,
      ...adminHosts,
    ]);
    const rendered = await render({}, 'shop');
    expect(names[0]).to.equal(rendered.admin('metadata', 'name'));
  });

  it('uses TLS for probes and Prometheus if the admin port does', async () => {
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'];
    const schemes = (rendered: Rendered) => [
      ...probes.map((probe) => rendered.container(probe, 'httpGet', 'scheme')),
      rendered.at('ServiceMonitor', 'spec', 'endpoints', 0, 'scheme'),
    ];
    const serviceMonitor = { enabled: true, tlsConfig: { insecureSkipVerify: true } };
    expect(schemes(await render({ serviceMonitor }))).to.deep.equal([undefined, undefined, undefined, undefined]);
    const adminTls = { certFile: '/tls/tls.crt', keyFile: '/tls/tls.key' };
    const rendered = await render({ serviceMonitor, configuration: { server: { adminTls } } });
    expect(schemes(rendered)).to.deep.equal(['HTTPS', 'HTTPS', 'HTTPS', 'https']);
    expect(rendered.at('ServiceMonitor', 'spec', 'endpoints', 0, 'tlsConfig')).to.deep.equal({
      insecureSkipVerify: true,
    });
  });

  it('has a job name for each release, which the alerts use', async () => {
    const selectors = [...(await readFile(rules, 'utf8')).matchAll(/job=~"([^"]*)"/g)];
    expect(selectors).to.not.be.empty;
    const jobOf = async (release: string, values: object): Promise<unknown> => {
      const rendered = await render({ ...values, serviceMonitor: { enabled: true } }, release);
      const [relabeling] = Object(rendered.at('ServiceMonitor', 'spec', 'endpoints', 0, 'relabelings'));
      expect(relabeling).to.include({ targetLabel: 'job' });
      return relabeling.replacement;
    };
    const named = { nameOverride: 'users', fullnameOverride: 'users' };
    const jobs = [await jobOf('accounts', {}), await jobOf('latchkey', {}), await jobOf('shop', named)];
    expect(new Set(jobs)).to.have.lengthOf(jobs.length);
    // Prometheus matches the whole of a label.
    for (const [, selector = ''] of selectors)
      for (const job of jobs) expect(job).to.match(new RegExp(`^(?:${selector})$`));
  });

  it('refuses unknown values', async () => {
    expect(await refusal({ replica: 2 })).to.include('replica');
    expect(await refusal({ configuration: { server: { port: 9000 } } })).to.include('/configuration/server/port');
  });
});
