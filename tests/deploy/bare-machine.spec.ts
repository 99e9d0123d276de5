import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exitStatus } from '../../bootstrap/commands/command-line.ts';
import { readConfiguration } from '../../bootstrap/configuration/index.ts';
import { defaultOperationTimeoutMs } from '../../bootstrap/configuration/policy-blocks.ts';
import { silentContext } from '../support/doubles/silent-context.ts';
import { Environment } from '../support/environment.ts';

const path = (name: string): string => new URL(`../../deploy/${name}`, import.meta.url).pathname;
const read = (name: string): string => readFileSync(path(name), 'utf8');

/** Whether a program can be called with these arguments, which only print something. */
const isInstalled = (program: string, args: readonly string[]): boolean => spawnSync(program, args).status === 0;

const units = ['latchkey.service', 'latchkey-backup.service', 'latchkey-backup.timer'];

describe('deploy/systemd', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-units-'));
    // systemd-analyze requires the programs; Latchkey is not installed here.
    for (const unit of units)
      writeFileSync(join(folder, unit), read(`systemd/${unit}`).replaceAll('/usr/local/bin/latchkey', '/bin/true'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const analyze = (...args: readonly string[]) => spawnSync('systemd-analyze', args, { cwd: folder, encoding: 'utf8' });

  it('has units that systemd accepts, and that restrict the service', function () {
    if (!isInstalled('systemd-analyze', ['--version'])) {
      console.warn('systemd-analyze is not installed: the units were NOT verified');
      this.skip();
    }
    const verified = analyze('verify', ...units.map((unit) => join(folder, unit)));
    expect(verified.stderr).to.equal('');
    expect(verified.status).to.equal(0);
    // From 0 to 10, in tenths here; above 2 is what systemd does not call OK.
    const security = analyze('security', '--offline=true', '--threshold=20', join(folder, 'latchkey.service'));
    expect(security.status, security.stdout).to.equal(0);
  });

  it('gives the service time to answer, and does not restart it with an invalid configuration', () => {
    const unit = read('systemd/latchkey.service');
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).to.be.above(defaultOperationTimeoutMs / 1_000 + 5);
    expect(unit).to.match(new RegExp(`^RestartPreventExitStatus=${exitStatus.wrongConfiguration}$`, 'm'));
  });

  it('has a rotation that logrotate accepts', function () {
    if (!isInstalled('logrotate', ['--version'])) {
      console.warn('logrotate is not installed: the rotation of the audit log was NOT tested');
      this.skip();
    }
    const file = join(folder, 'latchkey.logrotate');
    // The user latchkey does not exist here.
    writeFileSync(file, read('systemd/latchkey.logrotate').replace(/^.*\bsu .*$/m, ''), { mode: 0o644 });
    const { status, stderr } = spawnSync('logrotate', ['--debug', file], { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  });
});

describe('deploy/three-machines', () => {
  const environment = new Environment();
  before(() => {
    environment.set('LATCHKEY_MONGODB_URI', 'mongodb://latchkey:PASSWORD@db1,db2,db3/?replicaSet=rs0&tls=true');
    for (const name of ['LATCHKEY_SMTP_PASSWORD', 'LATCHKEY_WEB_APP_SECRET'])
      environment.set(name, 'a long enough secret');
  });
  after(() => environment.restore());

  it('has a configuration without warnings, whose readiness the balancer can reach', async () => {
    const { configuration, warnings } = await readConfiguration(
      path('three-machines/latchkey.yaml'),
      silentContext.log,
    );
    expect(warnings).to.deep.equal([]);
    expect(configuration.server.readinessOnPublicPort).to.equal(true);
    const balancer = read('three-machines/haproxy.cfg');
    expect(balancer).to.include('option httpchk GET /readyz\n');
    const ports = [...balancer.matchAll(/^ {4}server \w+ [\w.]+:(\d+)$/gm)].map(([, port]) => Number(port));
    expect(ports).to.deep.equal(Array(3).fill(configuration.server.port));
    const [, seconds] = /timeout server (\d+)s/.exec(balancer) ?? [];
    expect(Number(seconds) * 1_000).to.be.above(configuration.operationTimeoutMs);
  });

  it('has a file that HAProxy accepts', function () {
    if (!isInstalled('haproxy', ['-v'])) {
      console.warn('haproxy is not installed: the balancer of deploy/three-machines was NOT tested');
      this.skip();
    }
    const file = join(mkdtempSync(join(tmpdir(), 'latchkey-haproxy-')), 'haproxy.cfg');
    // Neither the certificate nor the names of the machines exist here.
    const text = read('three-machines/haproxy.cfg')
      .replace(/ ssl crt .*$/m, '')
      .replaceAll('.example.com', '.invalid init-addr none')
      .replace(/ init-addr none(:\d+)/g, '$1 init-addr none');
    writeFileSync(file, text);
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
    rmSync(join(file, '..'), { recursive: true });
    expect(status, stderr).to.equal(0);
  });
});
