import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exitStatus } from '../../bootstrap/commands/command-line.ts';
import { readConfiguration } from '../../bootstrap/configuration/configuration-file.ts';
import { defaultOperationTimeoutMs } from '../../bootstrap/configuration/plain-blocks.ts';
import { Installation, program } from '../process/installation.ts';
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

  it('backs up the configured database as often as it is started, and prunes', async () => {
    const installation = await Installation.create();
    try {
      const backups = join(installation.folder, 'backup');
      mkdirSync(backups);
      writeFileSync(join(backups, 'latchkey-2020-01-02.db'), '');
      for (const old of ['latchkey-2020-01-01.db', 'latchkey-2020-01-01.db.unfinished']) {
        writeFileSync(join(backups, old), '');
        utimesSync(join(backups, old), 0, 0);
      }
      await installation.write('latchkey', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
      chmodSync(join(installation.folder, 'latchkey'), 0o755);
      await installation.configure();
      await (await installation.serve()).stop();

      /** Runs the commands of the unit as systemd does: the first one that fails is the last one. */
      const start = (): SpawnSyncReturns<string> => {
        const lines = read('systemd/latchkey-backup.service')
          .replaceAll('%%', '%')
          .replaceAll('/usr/local/bin/latchkey', join(installation.folder, 'latchkey'))
          .replaceAll('/backup', backups);
        const commands = [...lines.matchAll(/^ExecStart(?:Post)?=(?!-)(.*)$/gm)].map(([, command]) => command);
        const [, configuration = ''] = /^Environment=LATCHKEY_CONFIG=(.*)$/m.exec(lines) ?? [];
        expect(configuration).to.equal('/etc/latchkey/latchkey.yaml');
        const env = { ...process.env, LATCHKEY_CONFIG: 'latchkey.yaml' };
        // Without globbing, as systemd starts programs.
        const script = `set -ef\n${commands.join('\n')}`;
        return spawnSync('bash', ['-c', script], { cwd: installation.folder, env, encoding: 'utf8' });
      };
      expect(start().stdout).to.match(/^ok {4}/);
      await new Promise((resolve) => setTimeout(resolve, 1_001));
      expect(start().stdout).to.match(/^ok {4}/);
      const names = readdirSync(backups);
      expect(names).to.have.lengthOf(3).and.include('latchkey-2020-01-02.db');
      expect(names.join()).not.to.include('2020-01-01');

      await installation.configure({ database: { type: 'memory' } });
      const { status, stdout } = start();
      expect([status, stdout], 'after a move to another database').to.deep.equal([1, '']);
    } finally {
      await installation.dispose();
    }
  });

  it('writes the time of a backup into a file that the user of node_exporter can read', () => {
    const metrics = mkdtempSync(join(folder, 'node-exporter-'));
    const unit = read('systemd/latchkey-backup.service')
      .replaceAll('%%', '%')
      .replaceAll('/var/lib/prometheus/node-exporter', metrics);
    const [, command = ''] = /^ExecStartPost=-\+(.*)$/m.exec(unit) ?? [];
    const [, umask = ''] = /^UMask=(.*)$/m.exec(unit) ?? [];
    const { status, stderr } = spawnSync('bash', ['-c', `umask ${umask}; ${command}`], { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    const file = join(metrics, 'latchkey.prom');
    expect(readFileSync(file, 'utf8')).to.match(/^latchkey_backup_last_success_timestamp_seconds \d{10}\n$/);
    expect(statSync(file).mode & 0o777).to.equal(0o644);
  });

  it('has a rotation that logrotate accepts', function () {
    if (!isInstalled('logrotate', ['--version'])) {
      console.warn('logrotate is not installed: the rotation of the audit log was NOT tested');
      this.skip();
    }
    const file = join(folder, 'latchkey.logrotate');
    const log = join(folder, 'audit.jsonl');
    writeFileSync(log, 'a line\n');
    // Neither the user latchkey nor the service exists here.
    const rotation = read('systemd/latchkey.logrotate')
      .replace(/^.*\bsu .*$/m, '')
      .replace('/var/log/latchkey/audit.jsonl', log)
      .replace(/systemctl reload latchkey.service.*$/m, `echo reopened > ${folder}/signal`);
    writeFileSync(file, rotation, { mode: 0o644 });
    const state = join(folder, 'state');
    const { status, stderr } = spawnSync('logrotate', ['--force', '--state', state, file], { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    expect(readFileSync(`${log}.1`, 'utf8'), 'the file that the service still has open').to.equal('a line\n');
    expect(readFileSync(join(folder, 'signal'), 'utf8')).to.equal('reopened\n');
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
