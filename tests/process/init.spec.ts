import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESClient, VerifyEmailIdentityCommand } from '@aws-sdk/client-ses';
import { expect } from 'chai';
import { FreshTable, region } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchSchema } from '../integration/adapters/stores/postgresql/scratch-schema.ts';
import { engine } from '../support/engines/index.ts';
import { withAwsCredentials } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { certificateFor, type MailServer, password, startMailServer, user } from '../support/mail-server.ts';
import { postgresqlUrl } from '../support/postgresql/index.ts';
import { Installation, program } from './installation.ts';
import { Run } from './run.ts';

/** Kills the process when it is about to create `.env`. */
const killedBeforeSecrets = `import files from 'node:fs/promises';
  const { open } = files;
  files.open = (path, ...options) =>
    path.endsWith('.env') ? process.kill(process.pid, 'SIGKILL') : open(path, ...options);`;

/** A folder for `latchkey init`, and for the commands that it prints. */
class Machine {
  private readonly children: ChildProcess[] = [];

  private constructor(
    readonly folder: string,
    private readonly installation: Installation,
  ) {}

  static async create(): Promise<Machine> {
    const folder = await mkdtemp(join(tmpdir(), "latchkey it's-"));
    // The `latchkey` command, as in an installation.
    await writeFile(join(folder, 'latchkey'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
      mode: 0o755,
    });
    return new Machine(folder, await Installation.create());
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  init(...options: readonly string[]) {
    return this.installation.command(['init', ...options]);
  }

  /** Kills `init` between the two files that it writes. */
  interruptedInit(...options: readonly string[]): Run {
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(killedBeforeSecrets)}`];
    return this.installation.node([...flags, program, 'init', ...options]);
  }

  /** Runs a shell script in another folder. */
  shell(lines: string): Run {
    const { LATCHKEY_CONFIG: _, ...inherited } = process.env;
    const env = { ...inherited, PATH: `${this.folder}:${process.env.PATH}` };
    const child = spawn('sh', ['-euc', lines], { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.children.push(child);
    return new Run(child);
  }

  /** Replaces text in a written file. Throws when the text is missing. */
  async change(name: string, changes: Readonly<Record<string, string>>): Promise<void> {
    const texts = Object.entries(changes).reduce(
      (text, [from, to]) => {
        expect(text, name).to.include(from);
        return text.replaceAll(from, to);
      },
      await readFile(this.path(name), 'utf8'),
    );
    await writeFile(this.path(name), texts);
  }

  /** Edits `.env` as its comments say. */
  async fillIn(folder: string, values: Readonly<Record<string, string>>): Promise<void> {
    const path = this.path(folder, '.env');
    const text = await readFile(path, 'utf8');
    const filled = text.replace(/^#([A-Z_]+)='.*'$/gm, (_, name: string) => `${name}='${values[name]}'`);
    expect(filled).to.not.include("'undefined'");
    await writeFile(path, filled);
  }

  async dispose(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await this.installation.dispose();
    await rm(this.folder, { recursive: true });
  }
}

/** The printed commands up to a certain one, which is executed with `exec`. */
const commandsUpTo = (stdout: string, last: string): string => {
  const lines = stdout.split('\n').flatMap((line) => /^ {2}(\S.*)$/.exec(line)?.[1] ?? []);
  expect(lines).to.include(last);
  return [...lines.slice(0, lines.indexOf(last)).filter((line) => !line.startsWith('latchkey')), `exec ${last}`].join(
    '\n',
  );
};
const check = 'latchkey check latchkey.yaml';
const serve = 'latchkey serve latchkey.yaml';

const secretIn = async (path: string, of = 'WEB_APP'): Promise<string> =>
  new RegExp(`^LATCHKEY_${of}_SECRET=(.+)$`, 'm').exec(await readFile(path, 'utf8'))?.[1] ?? '';

const ports = { 'port: 8080': 'port: 0', 'adminPort: 8081': 'adminPort: 0' };
const publicUrl = 'https://accounts.acme.test';

describe('latchkey init --production', () => {
  let machine: Machine;
  beforeEach(async () => {
    machine = await Machine.create();
  });
  afterEach(() => machine.dispose());

  it('writes a configuration without mails that works unchanged and has no warnings', async () => {
    const { status, stdout } = await machine.init(
      '--production',
      '--mailer',
      'none',
      '--output',
      machine.path('new/one'),
    );
    expect(status).to.equal(0);
    const checked = machine.shell(commandsUpTo(stdout, check));
    expect(await checked.ended).to.equal(0);
    expect(checked.stdout)
      .to.match(/^ok {4}database \(sqlite\): /m)
      .and.not.include('warn');
  });

  it('writes a configuration that has no warnings with the options that it suggests, either', async () => {
    const { stdout } = await machine.init('--production', '--mailer', 'none', '--output', machine.path('new'));
    await machine.change('new/latchkey.yaml', { '# headerCheck: false': 'headerCheck: false' });
    const checked = machine.shell(commandsUpTo(stdout, check));
    expect(await checked.ended).to.equal(0);
    expect(checked.stdout).to.not.include('warn');
  });

  it('writes a new secret each time, to a file that only its owner can read', async () => {
    const secrets: string[] = [];
    for (const name of ['one', 'other']) {
      expect((await machine.init('--production', '--output', machine.path(name))).status).to.equal(0);
      expect((await stat(machine.path(name, '.env'))).mode & 0o777).to.equal(0o600);
      for (const key of ['WEB_APP', 'SUPPORT']) secrets.push(await secretIn(machine.path(name, '.env'), key));
    }
    expect(new Set(secrets)).to.have.lengthOf(4);
    for (const secret of secrets) {
      expect(Buffer.from(secret, 'base64url')).to.have.length.of.at.least(32);
      expect(await readFile(machine.path('one', 'latchkey.yaml'), 'utf8')).to.not.include(secret);
    }
  });

  it('names the variables that the operator has to set, as the check does', async () => {
    for (const [database, mailer, names] of [
      ['sqlite', 'smtp', ['PUBLIC_URL', 'SMTP_HOST', 'SMTP_USER', 'SMTP_PASSWORD', 'MAIL_FROM']],
      ['mongodb', 'none', ['MONGODB_URI']],
      ['postgresql', 'none', ['POSTGRESQL_URL']],
      ['dynamodb', 'ses', ['PUBLIC_URL', 'AWS_REGION', 'MAIL_FROM']],
    ] as const) {
      const options = ['--database', database, '--mailer', mailer, '--output', machine.path(database)];
      const { stdout } = await machine.init('--production', ...options);
      const [, missing = ''] = /^Fill in \.env first: (.*)\. Then/m.exec(stdout) ?? [];
      expect(missing.split(', ')).to.deep.equal(names.map((name) => `LATCHKEY_${name}`));
      const checked = machine.shell(commandsUpTo(stdout, check));
      expect(await checked.ended).to.equal(2);
      const named = checked.stderr.match(/LATCHKEY_[A-Z_]+(?= is not set)/g);
      expect(new Set(named)).to.deep.equal(new Set(missing.split(', ')));
    }
  });

  for (const name of ['latchkey.yaml', '.env'])
    it(`does not overwrite ${name}, and then writes nothing else`, async () => {
      const folder = await mkdtemp(machine.path('taken-'));
      await writeFile(join(folder, name), 'mine');
      const { status, stdout, stderr } = await machine.init('--production', '--output', folder);
      expect([status, stdout]).to.deep.equal([2, '']);
      expect(stderr.split('\n')[0]).to.equal(
        `latchkey: ${join(folder, name)} exists already and stays unchanged; --output names another folder`,
      );
      expect(await readdir(folder)).to.deep.equal([name]);
      expect(await readFile(join(folder, name), 'utf8')).to.equal('mine');
    });

  it('says what to do about an interrupted one, which has written no secrets, and only then', async () => {
    const folder = machine.path('interrupted');
    const [file, secrets] = [join(folder, 'latchkey.yaml'), join(folder, '.env')];
    const options = ['--production', '--output', folder];
    expect(await machine.interruptedInit(...options).ended).to.equal('SIGKILL');
    expect(await readdir(folder)).to.deep.equal(['latchkey.yaml']);
    const refusal = `latchkey: ${file} exists already and stays unchanged; --output names another folder\n`;
    const again = await machine.init(...options);
    expect([again.status, again.stderr]).to.deep.equal([
      2,
      `${refusal}latchkey: ${secrets} is missing; if init was interrupted, remove ${file} and repeat it\n`,
    ]);
    await rm(file);
    expect((await machine.init(...options)).status).to.equal(0);
    expect((await machine.init(...options)).stderr).to.equal(refusal);
  });

  it('does not write through a symbolic link', async () => {
    const folder = await mkdtemp(machine.path('linked-'));
    await symlink(machine.path('elsewhere'), join(folder, '.env'));
    expect((await machine.init('--production', '--output', folder)).status).to.equal(2);
    expect(await readdir(folder)).to.deep.equal(['.env']);
  });

  const misuses: Readonly<Record<string, readonly string[]>> = {
    'init needs --production; development needs no configuration': [],
    'init takes no file; --output names the folder for its files': ['--production', 'latchkey.yaml'],
    '--database takes one of sqlite, mongodb, postgresql, dynamodb': ['--production', '--database', 'toString'],
    '--mailer takes one of smtp, ses, none': ['--production', '--mailer', 'outbox'],
  };
  for (const [reason, options] of Object.entries(misuses))
    it(`ends with 2: ${reason}`, async () => {
      const { status, stderr } = await machine.init(...options);
      expect(status).to.equal(2);
      expect(stderr).to.match(new RegExp(`^latchkey: ${reason}\n`));
    });

  describe('with SQLite and a mail server', () => {
    let server: MailServer;
    beforeEach(async () => {
      const certificate = await certificateFor('localhost');
      await certificate.remove();
      server = await startMailServer(certificate);
    });
    afterEach(() => server.close());

    it('configures a service that works, has no warnings, and hides users and passwords', async () => {
      const { stdout } = await machine.init('--production', '--output', machine.path('shop'));
      await machine.change('shop/latchkey.yaml', {
        ...ports,
        'port: 587': `port: ${server.port}`,
        '# productUrl:': 'productUrl:',
      });
      await machine.fillIn('shop', {
        LATCHKEY_PUBLIC_URL: publicUrl,
        LATCHKEY_SMTP_HOST: 'localhost',
        LATCHKEY_SMTP_USER: user,
        LATCHKEY_SMTP_PASSWORD: password,
        LATCHKEY_MAIL_FROM: 'Acme <no-reply@acme.test>',
      });
      const checked = machine.shell(commandsUpTo(stdout, check));
      expect(await checked.ended, checked.stderr).to.equal(0);
      expect(checked.stdout)
        .to.match(/^ok {4}email \(smtp\): /m)
        .and.not.include('warn');

      const service = machine.shell(commandsUpTo(stdout, serve));
      await service.until(() => service.stdout.includes('"listening"'));
      expect(service.log.filter(({ level }) => level !== 30)).to.deep.equal([]);
      const url = `${service.log.find(({ msg }) => msg === 'listening')?.url}`;
      const secret = await secretIn(machine.path('shop', '.env'));
      const call = async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) => {
        const Authorization = `Basic ${Buffer.from(`web-app:${secret}`).toString('base64')}`;
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { Authorization, 'Content-Type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body }),
        });
        return { status: response.status, json: JSON.parse(await response.text()) };
      };
      const jane = { email: { address: 'jane@acme.test' }, password: 'correct horse' };
      expect((await call('POST', '/users', {}, JSON.stringify(jane))).status).to.equal(201);
      const read = await call('GET', '/users?email=jane@acme.test', { password: jane.password });
      expect(read.status).to.equal(200);
      expect(read.json).to.not.have.property('password');
      const unknown = await call('GET', '/users?email=nobody@acme.test', { password: jane.password });
      expect(unknown.json).to.deep.include({ status: 401, code: 'wrong_password' });
      const send = () => call('POST', '/verify?email=jane@acme.test', { password: jane.password });
      expect((await send()).status).to.equal(200);
      expect((await send()).json.code).to.equal('resend_too_soon');
      await eventually(async () => {
        const [mail] = await server.mails();
        expect(mail?.text).to.include(`${publicUrl}/verify?`);
      }, 10_000);
      expect(await readFile(machine.path('shop/latchkey.yaml'), 'utf8')).to.match(/^ {2}queue: true$/m);
      const wrong = () =>
        call('GET', '/users?email=jane@acme.test', { password: 'guess', 'X-Client-Address': '192.0.2.1' });
      for (let count = 0; count < 10; count++) await wrong();
      expect((await wrong()).json.code).to.equal('too_many_attempts');
      service.child.kill('SIGTERM');
      expect(await service.ended).to.equal(0);
    });
  });

  describe('with databases and mails over the network', () => {
    withAwsCredentials();
    const [mongodb, dynamodb, aws] = [engine('mongodb'), engine('dynamodb'), engine('aws')];
    const postgresql = postgresqlUrl();
    before(async () => {
      const mails = new SESClient({ endpoint: aws(), region });
      await mails.send(new VerifyEmailIdentityCommand({ EmailAddress: 'no-reply@production.test' }));
      mails.destroy();
    });

    const values = () => ({
      LATCHKEY_PUBLIC_URL: publicUrl,
      LATCHKEY_MONGODB_URI: mongodb(),
      LATCHKEY_POSTGRESQL_URL: postgresql(),
      LATCHKEY_AWS_REGION: region,
      LATCHKEY_MAIL_FROM: 'no-reply@production.test',
    });

    /** The output of `latchkey check` for a configuration with SES, with the endpoints of the engines. */
    const checkedWith = async (database: string, changes: Readonly<Record<string, string>>): Promise<string> => {
      const options = ['--database', database, '--mailer', 'ses', '--output', machine.path(database)];
      const { stdout } = await machine.init('--production', ...options);
      const mails = { 'https://email.${LATCHKEY_AWS_REGION}.amazonaws.com': aws() };
      await machine.change(`${database}/latchkey.yaml`, { ...mails, ...changes });
      await machine.fillIn(database, values());
      // On a busy machine, an engine that just started may not respond within the 3 seconds of a check.
      return eventually(async () => {
        const checked = machine.shell(commandsUpTo(stdout, check));
        expect(await checked.ended, checked.stdout + checked.stderr).to.equal(0);
        expect(checked.stdout).to.match(/^ok {4}email \(ses\): /m);
        return checked.stdout;
      }, 20_000);
    };

    it('writes a configuration without warnings for MongoDB and SES', async () => {
      const lines = await checkedWith('mongodb', { 'databaseName: latchkey': `databaseName: init-${randomUUID()}` });
      expect(lines)
        .to.match(/^ok {4}database \(mongodb\): /m)
        .and.not.include('warn');
    });

    it('writes a configuration without warnings for PostgreSQL and SES', async () => {
      const scratch = await ScratchSchema.create(postgresql());
      try {
        const lines = await checkedWith('postgresql', {
          'type: postgresql': `type: postgresql\n  schema: ${scratch.schema}`,
        });
        expect(lines)
          .to.match(/^ok {4}database \(postgresql\): /m)
          .and.not.include('warn');
      } finally {
        await scratch.dispose();
      }
    });

    it('writes a configuration without warnings for DynamoDB and SES', async () => {
      const table = await FreshTable.create(dynamodb());
      try {
        await table.createForCounts();
        await table.createForEvents();
        const lines = await checkedWith('dynamodb', {
          'https://dynamodb.${LATCHKEY_AWS_REGION}.amazonaws.com': dynamodb(),
          'tableName: latchkey-users': `tableName: ${table.name}`,
        });
        expect(lines)
          .to.match(/^ok {4}database \(dynamodb\): /m)
          .and.not.include('warn');
      } finally {
        await table.dispose();
      }
    });
  });
});
