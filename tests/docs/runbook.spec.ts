import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { freePort } from '../../benchmarks/free-port.ts';
import { Installation, program } from '../process/installation.ts';
import { Run } from '../process/run.ts';
import { type Certificate, certificateFor } from '../support/mail-server.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const blocks = fencedBlocksOf('runbook.md').filter(({ language }) => language === 'sh' || language === 'text');
const commands = blocks.filter(({ language }) => language === 'sh');
const end = '=== end of a block ===';

/** A stand-in for systemd, which the machine of a test need not have: starts, reloads and stops the service of one folder. */
const systemctl = (folder: string): string => `#!/bin/bash
set -eu
pid=${folder}/pid
if [ "$1" = reload ]; then
  kill -HUP "$(cat $pid)"
  exit
fi
if [ "$1" != start ]; then
  kill "$(cat $pid)"
  while kill -0 "$(cat $pid)" 2> /dev/null; do sleep 0.05; done
fi
if [ "$1" != stop ]; then
  set -a; . ${folder}/etc/latchkey.env; set +a
  cd ${folder}
  setsid "$NODE" "$PROGRAM" serve ${folder}/etc/latchkey.yaml >> ${folder}/log 2>&1 < /dev/null &
  echo $! > $pid
fi
`;

/** The machine of the page in a temporary folder: its files, a running service with three users, and stand-ins. */
class Machine {
  private constructor(
    private readonly installation: Installation,
    private readonly certificate: Certificate,
    private readonly ports: { readonly service: number; readonly admin: number },
  ) {}

  static async create(): Promise<Machine> {
    const [installation, certificate] = [await Installation.create(), await certificateFor('localhost')];
    const machine = new Machine(installation, certificate, { service: await freePort(), admin: await freePort() });
    await machine.fill();
    return machine;
  }

  private get folder(): string {
    return this.installation.folder;
  }

  private async fill(): Promise<void> {
    const { folder, certificate, ports } = this;
    for (const name of ['etc', 'lib', 'log.d', 'backup', 'root', 'bin']) await mkdir(join(folder, name));
    const configuration = (database: string) => ({
      server: {
        host: '127.0.0.1',
        port: ports.service,
        adminPort: ports.admin,
        publicUrl: 'https://localhost',
        tls: { certFile: join(folder, 'etc/tls.crt'), keyFile: join(folder, 'etc/tls.key') },
      },
      database: { type: 'sqlite', path: join(folder, 'lib', database) },
      email: { type: 'outbox', directory: join(folder, 'lib/outbox') },
      throttle: { clientFailures: 0 },
      // As `latchkey init --production` writes it.
      privacy: { hideUnknownUsers: true },
      audit: { file: join(folder, 'log.d/audit.jsonl') },
      passwordHash: { algorithm: 'bcrypt', cost: 4, serverSideHash: true },
      auth: { keys: [{ application: 'web-app', secret: '${LATCHKEY_WEB_APP_SECRET}' }] },
      admin: { keys: [{ application: 'support', secret: '${LATCHKEY_SUPPORT_SECRET}' }] },
    });
    await this.installation.write('etc/latchkey.yaml', stringify(configuration('latchkey.db')));
    await this.installation.write('etc/new.yaml', stringify(configuration('new.db')));
    const secrets = 'LATCHKEY_WEB_APP_SECRET="the first secret"\nLATCHKEY_SUPPORT_SECRET="a secret of the support"\n';
    await this.installation.write('etc/latchkey.env', secrets);
    await this.installation.write('etc/tls.crt', certificate.cert);
    await this.installation.write('etc/tls.key', certificate.key);
    await this.renewCertificate();
    await this.executable('systemctl', systemctl(folder));
    await this.executable('latchkey', '#!/bin/bash\nexec "$NODE" "$PROGRAM" "$@"\n');
    // `runuser -u latchkey -- COMMAND`: there is only the user of the tests.
    await this.executable('runuser', '#!/bin/bash\nshift 3\nexec "$@"\n');
  }

  /** Another certificate in the folder of root; with another name, because OpenSSL trusts one certificate of each. */
  private async renewCertificate(): Promise<void> {
    const args =
      '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=renewed -keyout tls.key -out tls.crt';
    const extension = ['-addext', 'subjectAltName=DNS:localhost'];
    const { status } = spawnSync('openssl', ['req', ...args.split(' '), ...extension], {
      cwd: join(this.folder, 'root'),
    });
    expect(status).to.equal(0);
    const renewed = await readFile(join(this.folder, 'root/tls.crt'), 'utf8');
    await this.installation.write('trusted.pem', `${this.certificate.cert}\n${renewed}`);
  }

  private async executable(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, 'bin', name), text);
    await chmod(join(this.folder, 'bin', name), 0o755);
  }

  private translate(text: string): string {
    const { folder, ports } = this;
    return text
      .replaceAll('/etc/latchkey', `${folder}/etc`)
      .replaceAll('/var/lib/latchkey', `${folder}/lib`)
      .replaceAll('/var/log/latchkey', `${folder}/log.d`)
      .replaceAll('/backup', `${folder}/backup`)
      .replaceAll('/root/', `${folder}/root/`)
      .replaceAll('chown latchkey', `chown ${process.getuid?.()}`)
      .replaceAll('https://accounts.example.com', `https://localhost:${ports.service}`)
      .replaceAll('http://127.0.0.1:8081', `http://127.0.0.1:${ports.admin}`);
  }

  /** Runs commands of the page in one shell. Resolves when they have ended. */
  async run(lines: string): Promise<Run> {
    const { LATCHKEY_CONFIG: _, ...inherited } = process.env;
    const env = {
      ...inherited,
      PATH: `${this.folder}/bin:${process.env.PATH}`,
      NODE: process.execPath,
      PROGRAM: program,
      CURL_CA_BUNDLE: join(this.folder, 'trusted.pem'),
    };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const args = ['-euo', 'pipefail', '-c', this.translate(lines)];
    const run = new Run(spawn('bash', args, { cwd: this.folder, env, stdio: [...stdio] }));
    await run.ended;
    return run;
  }

  /** Replaces what differs in each run. */
  masked(text: string): string {
    return text.replaceAll(`${this.folder}/lib`, '/var/lib/latchkey').trimEnd();
  }

  async dispose(): Promise<void> {
    spawnSync('bash', ['-c', 'kill -9 "$(cat pid)"'], { cwd: this.folder });
    await this.certificate.remove();
    await this.installation.dispose();
  }
}

const createUsers = `systemctl start; ready
for name in jane ada grace; do
  curl --silent --fail --user "web-app:$LATCHKEY_WEB_APP_SECRET" --header 'Content-Type: application/json' --data \\
    "{\\"email\\":{\\"address\\":\\"$name@example.com\\"},\\"password\\":\\"correct horse\\"}" "$SERVICE/users" > root/user
done
curl --silent --fail --user "web-app:$LATCHKEY_WEB_APP_SECRET" --header 'password: correct horse' --request POST \\
  "$SERVICE/verify?email=jane@example.com" > root/user
# The address of somebody else, which a pattern with the address of Jane matches too, and a line that a crash cut off.
curl --silent --user "web-app:$LATCHKEY_WEB_APP_SECRET" --header 'password: any' \\
  "$SERVICE/users?email=jane@example-com" > root/user
# A line is written after the response.
until grep -q 'jane@example-com' log.d/audit.jsonl; do sleep 0.1; done
echo '{"time":"2026-01-01T' >> log.d/audit.jsonl
gzip -c log.d/audit.jsonl > log.d/audit.jsonl.2.gz
cp log.d/audit.jsonl log.d/audit.jsonl.1
`;

describe('docs/runbook.md', function () {
  this.timeout(120_000);
  let machine: Machine;
  before(async () => {
    machine = await Machine.create();
  });
  after(() => machine.dispose());

  it('has commands that work, and print what it shows', async () => {
    const [variables, ...others] = commands.map(({ text }) => text);
    const marked = [`${variables}${createUsers}`, ...others].map((text) => `${text}echo '${end}'\n`);
    const run = await machine.run(marked.join(''));
    const printed = run.stdout.split(`${end}\n`).slice(0, -1);
    const failed = commands[printed.length];
    expect(failed, `the commands at line ${failed?.line} failed: ${run.stderr}`).to.equal(undefined);
    for (const { line, text } of blocks.filter(({ language }) => language === 'text')) {
      const actual = printed[commands.findLastIndex((command) => command.line < line)] ?? '';
      expect(machine.masked(actual), `line ${line}`).to.equal(text.trimEnd());
    }
    const left = await machine.run(
      'cat root/jane/person.json; grep -c jane root/jane/audit.jsonl; zcat log.d/*.gz; cat log.d/audit.jsonl.1',
    );
    const [person = '', counted, ...audited] = left.stdout.replace('}{', '}\n{').split(/\n|(?<=\})(?=\d)/);
    expect(JSON.parse(person).user.email.address).to.equal('jane@example.com');
    expect(Number(counted), 'lines of the audit log in the export').to.be.above(5);
    const rotated = audited.join('');
    expect(rotated, 'the rotated audit log').to.include('ada@example.com').and.not.include('jane@example.com');
    expect(rotated.split('"user":"jane@example-com"'), 'lines of somebody else').to.have.lengthOf(3);
    expect(rotated.split('2026-01-01T'), 'damaged lines').to.have.lengthOf(3);
    expect((await machine.run('cat root/jane/audit.jsonl')).stdout).to.not.include('example-com');
    expect((await machine.run('ls lib/outbox')).stdout, 'mails to Jane').to.equal('');
  });
});
