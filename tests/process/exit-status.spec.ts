import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { eachWithInstallation } from './installation.ts';

const publishedVersion: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;

describe('the command line', () => {
  const installation = eachWithInstallation();

  it('prints all commands on help and --help', async () => {
    const { status, stdout } = await installation().command(['help']);
    expect(status).to.equal(0);
    expect(stdout)
      .to.include('latchkey [serve] [FILE]')
      .and.include('latchkey check [FILE]')
      .and.include('latchkey backup');
    expect(stdout).to.include('LATCHKEY_CONFIG').and.include('config/local.yaml');
    expect(await installation().command(['latchkey.yaml', '--help'])).to.include({ status, stdout });
  });

  it('prints the help of a command on help COMMAND and COMMAND --help, also with other arguments', async () => {
    const { status, stdout } = await installation().command(['help', 'import']);
    expect(status).to.equal(0);
    expect(stdout).to.match(/^Usage: latchkey import \[OPTIONS\] USERS \[FILE\]\n/);
    const [, page] = /^Documentation: (.*)$/m.exec(stdout) ?? [];
    expect(existsSync(resolve(installation().folder, String(page))), page).to.equal(true);
    expect(await installation().command(['import', 'none.jsonl', '--dry-run', '-h'])).to.include({ status, stdout });
  });

  it('prints its version on --version', async () => {
    expect(await installation().command(['-v'])).to.deep.equal({
      status: 0,
      stdout: `${publishedVersion}\n`,
      stderr: '',
    });
  });

  const misuses = [
    [['--port', '80'], "Unknown option '--port'", 'help'],
    [['export', '--output', '--resume'], "Option '--output' argument is ambiguous", 'help export'],
    [['serve', 'one.yaml', 'two.yaml'], 'serve takes one configuration file', 'help serve'],
    [['export', '--ouput', 'users.jsonl'], "Unknown option '--ouput'; did you mean --output?", 'help export'],
    [['chekc'], 'unknown command: chekc; did you mean check?', 'help'],
    [['users'], 'unknown command: users', 'help'],
    [['help', 'chekc'], 'unknown command: chekc; did you mean check?', 'help'],
    [['export', '--output', '', 'latchkey.yaml'], '--output is empty', 'help export'],
    [['check', ''], 'an argument is empty', 'help check'],
    [
      ['backup', 'users.db', 'copy.db', 'another.db'],
      'backup takes the new file, or the database file and the new file',
      'help backup',
    ],
  ] as const;
  for (const [args, reason, help] of misuses) {
    it(`ends with 2, and prints the reason and the command for help on: latchkey ${args.join(' ')}`, async () => {
      const { status, stdout, stderr } = await installation().command(args);
      expect(status).to.equal(2);
      expect(stdout).to.equal('');
      expect(stderr).to.equal(`latchkey: ${reason}\nSee: latchkey ${help}\n`);
    });
  }

  for (const command of ['serve', 'check']) {
    it(`ends with 2 and prints every problem of a wrong file on ${command}`, async () => {
      const document = {
        server: { port: 70_000, prot: 1 },
        database: { type: 'oracle' },
        email: {
          type: 'outbox',
          messageOptions: { bodyHtmlFilePath: 'missing.html', successHtmlFilePath: 'gone.html' },
        },
        auth: { type: 'oauth', issuer: 'us', hmacSecret: 'canary', rsaPublicKeyFilePath: 'missing.der' },
        openApi: { licenseUrl: '${UNKNOWN_SECRET}' },
      };
      await installation().write('wrong.yaml', stringify(document));
      const { status, stdout, stderr } = await installation().command([command, 'wrong.yaml']);
      expect(status).to.equal(2);
      expect(stdout).to.equal('');
      for (const path of [
        'server.port',
        'server.prot: unknown key; did you mean port?',
        'database.type',
        'email.messageOptions.bodyHtmlFilePath',
        'email.messageOptions.successHtmlFilePath',
        'auth.hmacSecret',
        'auth.rsaPublicKeyFilePath',
        'openApi.licenseUrl',
      ])
        expect(stderr).to.match(new RegExp(`^  line \\d+: ${path.replace('?', '\\?')}`, 'm'));
      expect(stderr).to.include('UNKNOWN_SECRET').and.not.include('canary');
    });
  }

  it('reads the file that LATCHKEY_CONFIG names, unless the command line names one', async () => {
    await installation().write('other.yaml', 'colour: red\n');
    const environment = { LATCHKEY_CONFIG: 'other.yaml' };
    const [named, other, unset] = await Promise.all([
      installation().command(['check'], environment),
      installation().command(['check', 'latchkey.yaml'], environment),
      installation().command(['check'], { LATCHKEY_CONFIG: '' }),
    ]);
    expect(named.status).to.equal(2);
    expect(named.stderr).to.include('other.yaml').and.include('colour');
    expect(other.status).to.equal(0);
    expect(unset.stdout).to.match(/^ok {4}configuration: .*config\/local\.yaml \(users from before it: .*\)$/m);
  });

  it('reads a configuration from a pipe, but not more than it may have', async () => {
    const { folder } = installation();
    execFileSync('mkfifo', ['pipe'], { cwd: folder });
    const checked = async (content: string) => {
      const written = writeFile(join(folder, 'pipe'), content).catch((error: NodeJS.ErrnoException) => error.code);
      return [await installation().command(['check', 'pipe']), await written] as const;
    };
    const [small] = await checked('database: { type: oracle }');
    expect(small.stdout + small.stderr).to.include('database.type: expected one of');
    const [large, written] = await checked('#'.repeat(2 * 1024 * 1024));
    expect([large.status, written]).to.deep.equal([2, 'EPIPE']);
    expect(large.stdout + large.stderr).to.include('the file is larger than 1 MiB');
  });

  it('ends with 2 if the configured host does not exist', async () => {
    await installation().configure({ server: { host: 'no-such-host.invalid', port: 0, adminPort: 0 } });
    const { status, stderr } = await installation().command(['serve', 'latchkey.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.equal(
      'latchkey: server.host or server.adminHost: no such host; configure an address of this machine\n',
    );
  });

  it('ends with 1 if a port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const address = other.address();
      const taken = typeof address === 'object' && address !== null ? address.port : 0;
      for (const option of ['port', 'adminPort']) {
        await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, [option]: taken } });
        const { status, stderr } = await installation().command(['serve', 'latchkey.yaml']);
        expect(status).to.equal(1);
        expect(stderr).to.match(
          new RegExp(`127\\.0\\.0\\.1:${taken}: the port is taken .* \\(server\\.${option}\\)\\n`),
        );
      }
    } finally {
      other.close();
    }
  });
});

describe('latchkey check', () => {
  const installation = eachWithInstallation();

  it('fails where the database can store neither ids nor unique properties, which also keeps the service from starting', async () => {
    const ports = new URL('../../dist/ports.js', import.meta.url);
    const store = readFileSync(new URL('../../examples/small-adapters/map-store.js', import.meta.url), 'utf8')
      .replace("'latchkey/ports'", `'${ports}'`)
      .replace('return { users, names: { find: (name) => users.find(name) } };', 'return { users };');
    await installation().write('store.mjs', store);
    const blocks = { database: { type: 'module', module: './store.mjs' }, email: undefined };
    await installation().configure(blocks);
    const without = await installation().command(['check', 'latchkey.yaml']);
    expect(without.status, without.stderr + without.stdout).to.equal(0);
    await installation().configure({ ...blocks, users: { ids: true } });
    const reason =
      /users\.ids: the database of type \w+ can store neither ids nor unique properties; use another database\n/;
    const checked = await installation().command(['check', 'latchkey.yaml']);
    expect(checked.status).to.equal(1);
    expect(checked.stdout).to.match(new RegExp(`FAIL {2}database \\(\\w+\\): ${reason.source}`));
    for (const command of ['serve', 'ids', 'reindex']) {
      const { status, stderr } = await installation().command([command, 'latchkey.yaml']);
      expect(status, command).to.equal(2);
      expect(stderr, command).to.match(reason);
    }
  });

  it('prints a line for each component and ends with 0 if all are healthy', async () => {
    const { status, stdout, stderr } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(0);
    expect(stderr).to.equal('');
    expect(stdout).to.match(/^ok {4}configuration: latchkey\.yaml$/m);
    expect(stdout).to.match(/^warn {2}server\.publicUrl is absent/m);
    expect(stdout).to.match(/^ok {4}secrets \(env\): /m);
    expect(stdout).to.match(/^ok {4}database \(sqlite\): /m);
    expect(stdout).to.match(
      /^ok {4}email \(outbox\): mails are written to files in outbox, which does not exist yet; the service creates it$/m,
    );
    expect(existsSync(join(installation().folder, 'outbox'))).to.equal(false);
  });

  it('says which commands users from before ids and unique properties may need', async () => {
    const allowed = [{ name: 'username', type: 'string', unique: true }];
    const [ids, names] = ['latchkey ids gives them ids', 'latchkey reindex makes them known by unique properties'];
    for (const [blocks, hint] of [
      [{ users: { ids: true } }, ids],
      [{ properties: { allowed } }, names],
      [{ users: { ids: true }, properties: { allowed } }, `${ids}, ${names}`],
    ] as const) {
      await installation().configure(blocks);
      const { status, stdout } = await installation().command(['check', 'latchkey.yaml']);
      expect(status).to.equal(0);
      expect(stdout).to.include(`ok    configuration: latchkey.yaml (users from before it: ${hint})\n`);
    }
  });

  it('warns of every dangerous setting, as the start does, and of tokens that may do everything', async () => {
    await installation().configure({
      server: { host: '0.0.0.0', port: 0, adminPort: 0, publicUrl: 'http://accounts.example.com' },
      auth: {
        type: 'oauth',
        issuer: 'https://login.example.com/',
        hmacSecret: 'a text of at least 32 bytes, as it is',
      },
      events: {
        webhooks: [{ url: 'http://hooks.example.com/', secret: `whsec_${Buffer.alloc(32).toString('base64')}` }],
      },
    });
    const { status, stdout } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(0);
    const warned = stdout.split('\n').flatMap((line) => /^warn {2}(.*)$/.exec(line)?.[1] ?? []);
    expect(warned.map((line) => line.split(' ')[0])).to.have.members([
      'server.publicUrl',
      'passwordHash.algorithm',
      'throttle',
      'auth.audience',
      'auth.requireExpiry',
      'email.tokenLifetime',
      'events.webhooks[0].url',
      'auth:',
    ]);
    const { run } = await installation().serve();
    const logged = run.log.filter(({ level }) => level === 40).map(({ msg }) => msg);
    expect(logged).to.deep.equal(warned.filter((line) => !line.startsWith('auth:')));
  });

  it('ends with 1 if the database does not exist and cannot be created', async () => {
    await installation().configure({ database: { type: 'sqlite', path: 'latchkey.yaml/users.db' } });
    const { status, stdout } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(1);
    expect(stdout).to.match(/^FAIL {2}database \(sqlite\): .* does not exist, and this user may not create it$/m);
  });

  it('prints which component is unhealthy and ends with 1', async () => {
    await installation().write('users.db', 'this is no database, and never was one'.repeat(100));
    await installation().write('outbox', 'a file where a folder should be');
    const { status, stdout } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(1);
    expect(stdout).to.match(/^FAIL {2}database \(sqlite\): /m);
    expect(stdout).to.match(/^FAIL {2}email \(outbox\): /m);
    expect(stdout).to.match(/^ok {4}secrets \(env\): /m);
  });
});
