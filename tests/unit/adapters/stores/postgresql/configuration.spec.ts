import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { serversOf } from '../../../../../adapters/stores/postgresql/connection-string.ts';
import { configured, problemsOf } from '../../../bootstrap/configuration/read-configuration.ts';

const block = (changes: object): string =>
  JSON.stringify({ database: { type: 'postgresql', connectionString: 'postgresql://localhost/accounts', ...changes } });

const serversIn = (connectionString: string) =>
  serversOf({ connectionString, caFile: null, passwordFile: null, passwordCommand: null });

describe('the configuration of PostgreSQL', () => {
  it('needs a connection string only', async () => {
    const problems = await problemsOf('database: {type: postgresql}');
    expect(problems.map((line) => line.split(':')[0])).to.deep.equal(['database.connectionString']);
  });

  const accepted = [
    'postgresql://user:p%40ss@one.example.com:6432,two.example.com/accounts?target_session_attrs=read-write&sslmode=verify-full',
    'postgres://[::1]:5433/accounts?sslmode=disable',
    'postgresql:///accounts?host=/var/run/postgresql',
    'postgresql://service@%2Fvar%2Frun%2Fpostgresql/accounts',
  ];
  for (const connectionString of accepted) {
    it(`takes ${connectionString}, whether or not a server answers`, async () => {
      expect((await configured(block({ connectionString }))).database).to.include({ type: 'postgresql' });
    });
  }

  const refused: Readonly<Record<string, RegExp>> = {
    canary: /expected a PostgreSQL connection string/,
    'http://canary/': /expected a PostgreSQL connection string/,
    'postgresql://user:can@ry@host/accounts': /percent-encoded/,
    'postgresql://user:can%ary@host/accounts': /percent-encoded/,
    'postgresql:///canary': /names no host/,
    'postgresql://canary': /names no database/,
    'postgresql://canary/': /names no database/,
    'postgresql://canary:99999/accounts': /several hosts are separated by commas/,
    'postgresql://one,,canary/accounts': /several hosts are separated by commas/,
    'postgresql://one/accounts?canary=1': /a parameter that would have no effect/,
    'postgresql://one/accounts?target_session_attrs=standby': /target_session_attrs must be read-write/,
    'postgresql://one/accounts?sslmode=prefer': /sslmode must be disable, or verify-full/,
  };
  for (const [connectionString, message] of Object.entries(refused)) {
    it(`refuses ${connectionString} without repeating it`, async () => {
      const problems = await problemsOf(block({ connectionString }));
      expect(problems).to.have.length(1);
      expect(problems[0])
        .to.match(/^database\.connectionString: /)
        .and.match(message)
        .and.not.include('can');
    });
  }

  it('takes the password from one place', async () => {
    const connectionString = 'postgresql://user:canary@localhost/accounts';
    const [inFile, inCommand] = [{ passwordFile: 'password.txt' }, { passwordCommand: ['print-password', 'canary'] }];
    for (const changes of [inFile, inCommand]) await configured(block(changes));
    for (const changes of [
      { connectionString, ...inFile },
      { connectionString, ...inCommand },
      { ...inFile, ...inCommand },
    ]) {
      const [problem, ...others] = await problemsOf(block(changes));
      expect(problem).to.match(/^database\.password(File|Command): there is another password already/);
      expect(others).to.deep.equal([]);
    }
  });

  it('gives the driver everything for each host, so that it reads no variables', () => {
    const servers = serversIn('postgresql://us%65r@one:6432,[fe80::1],%2Fsockets/acc%6Funts?sslmode=require');
    expect(servers.map(({ host, port }) => ({ host, port }))).to.deep.equal([
      { host: 'one', port: 6432 },
      { host: 'fe80::1', port: 5432 },
      { host: '/sockets', port: 5432 },
    ]);
    for (const server of servers) {
      expect(server).to.include({ user: 'user', database: 'accounts' });
      expect(server).to.have.property('ssl').that.is.an('object').and.not.property('rejectUnauthorized');
      expect(server.password).to.be.a('function');
    }
  });

  it('reads no more of a file than it may have, and nothing of a device or pipe', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-files-'));
    const large = join(folder, 'large');
    await writeFile(large, '');
    // Without the bytes, which take no room on the disk.
    await truncate(large, 17 * 1024 * 1024);
    const options = { connectionString: 'postgresql://db/accounts', caFile: null, passwordCommand: null };
    const refusals = { [large]: /the file is larger than/, '/dev/null': /this is a device/ };
    for (const [file, reason] of Object.entries(refusals)) {
      const [server] = serversOf({ ...options, passwordFile: file });
      const password = server?.password;
      if (typeof password !== 'function') throw new TypeError('expected a function that reads the file');
      const read = async (): Promise<string> => password();
      const refusal = await read().catch((error: unknown) => String(error));
      expect(refusal).to.match(reason).and.include('passwordFile').and.not.include(folder);
      for (const parameter of ['sslrootcert', 'sslcert', 'sslkey'])
        expect(() => serversIn(`postgresql://db/accounts?${parameter}=${file}`)).to.throw(reason);
      const [problem] = await problemsOf(block({ caFile: file }));
      expect(problem)
        .to.match(/^database\.caFile: /)
        .and.match(reason);
    }
    await rm(folder, { recursive: true });
  });

  it('encrypts unless it is told not to, or the server is on this machine', () => {
    const isEncrypted = (target: string) => serversIn(`postgresql://${target}`).map(({ ssl }) => ssl !== false);
    expect(isEncrypted('db.example.com/accounts')).to.deep.equal([true]);
    expect(isEncrypted('localhost,db.example.com/accounts')).to.deep.equal([true, true]);
    expect(isEncrypted('localhost,127.0.0.1,[::1],%2Fsockets/accounts')).to.deep.equal([false, false, false, false]);
    expect(isEncrypted('db.example.com/accounts?sslmode=disable')).to.deep.equal([false]);
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      expect(isEncrypted(`localhost/accounts?sslmode=${mode}`), mode).to.deep.equal([true]);
  });
});
