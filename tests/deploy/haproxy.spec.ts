import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../benchmarks/free-port.ts';
import { clientHeaders, createUser, Installation, readUser, type Serving } from '../process/installation.ts';
import { Run } from '../process/run.ts';
import { eventually } from '../support/eventually.ts';

const shipped = readFileSync(new URL('../../deploy/three-machines/haproxy.cfg', import.meta.url), 'utf8');
const serverLines = /^ {4}server .*\n/gm;

/** The path of the Debian package, which is not in the PATH of normal users. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

describe('HAProxy with deploy/three-machines/haproxy.cfg', function () {
  this.timeout(60_000);
  let installation: Installation;
  let machines: readonly Serving[];
  let haproxy: Run;
  let url = '';

  before(async function () {
    if (spawnSync('haproxy', ['-v'], { env }).status !== 0) {
      console.warn('haproxy is not installed: the balancer of deploy/three-machines was NOT run');
      this.skip();
    }
    installation = await Installation.create();
    const server = { host: '127.0.0.1', port: 0, adminPort: 0, readinessOnPublicPort: true, trustProxy: ['127.0.0.1'] };
    // One file instead of a replica set: what is tested here is the balancer.
    await installation.configure({ server });
    machines = [await installation.serve(), await installation.serve(), await installation.serve()];
    expect(shipped.match(serverLines)).to.have.length(machines.length);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const servers = machines.map((machine, index) => `    server db${index + 1} ${new URL(machine.url).host}\n`);
    // Without the certificate, which does not exist here.
    const text = shipped.replace(/bind :443 ssl crt .*$/m, `bind 127.0.0.1:${port}`).replace(serverLines, '');
    await installation.write('haproxy.cfg', text + servers.join(''));
    const args = ['-db', '-f', join(installation.folder, 'haproxy.cfg')];
    haproxy = new Run(spawn('haproxy', args, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
    await eventually(async () => expect(await createUser(url, 'jane@example.com')).to.be.oneOf([201, 409]), 10_000);
  });
  after(async () => {
    haproxy?.child.kill();
    await haproxy?.ended;
    await installation?.dispose();
  });

  it('serves every request while one machine after the other stops', async () => {
    let isOver = false;
    const statuses = new Map<number, number>();
    const read = async (): Promise<void> => {
      while (!isOver) {
        const status = await readUser(url, 'jane@example.com');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const readers = [read(), read(), read()];
    for (const [index, machine] of machines.slice(0, 2).entries()) {
      expect(await machine.stop()).to.equal(0);
      await haproxy.until(() => haproxy.stderr.includes(`latchkey/db${index + 1} is DOWN`));
      const served = statuses.get(200) ?? 0;
      await eventually(async () => expect(statuses.get(200)).to.be.above(served + 20), 10_000);
    }
    isOver = true;
    await Promise.all(readers);
    expect([...statuses.keys()]).to.deep.equal([200]);
  });

  it('keeps the probes to itself', async () => {
    expect((await fetch(`${url}/readyz`, { headers: clientHeaders })).status).to.equal(404);
  });
});
