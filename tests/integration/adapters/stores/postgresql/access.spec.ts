import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { type Certificate, certificateFor } from '../../../../support/mail-server.ts';
import { privatePostgresql } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

describe('PostgreSQL with passwords and TLS', () => {
  const server = privatePostgresql();
  let scratch: ScratchSchema;
  let folder: string;
  let certificate: Certificate;
  let others: Certificate;
  const passwordFile = () => join(folder, 'password.txt');

  /** The name in the certificate is `localhost`. */
  const urlOf = (user: string, parameters: string, host = 'localhost') =>
    `postgresql://${user}@${host}:${server().port}/postgres${parameters}`;

  const changePassword = async (password: string): Promise<void> => {
    await scratch.query(`ALTER ROLE app PASSWORD '${password}'`);
    // A file that is distributed to machines arrives later than the server has the password.
    await setTimeout(50);
    await writeFile(`${passwordFile()}.new`, `${password}\n`);
    await rename(`${passwordFile()}.new`, passwordFile());
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-'));
    scratch = await ScratchSchema.create(server().url);
    [certificate, others] = await Promise.all([certificateFor('localhost'), certificateFor('localhost')]);
    // The server accepts a key that others can read only from root, and it does not run as root.
    for (const [name, content] of [
      ['server.key', certificate.key],
      ['server.crt', certificate.cert],
    ] as const)
      await scratch.query(
        `COPY (SELECT) TO PROGRAM 'cat > /dev/null; umask 077; base64 -d > ${name} <<END\n${Buffer.from(content).toString('base64')}\nEND'`,
      );
    const rules = ['host all app all scram-sha-256', 'local all all trust', 'host all all all trust'];
    await writeFile(join(server().data, 'pg_hba.conf'), rules.join('\n'));
    await scratch.query(`CREATE ROLE app LOGIN PASSWORD 'first'`);
    await scratch.query(`GRANT ALL ON SCHEMA ${scratch.schema} TO app`);
    await scratch.query('ALTER SYSTEM SET ssl = on');
    await scratch.query('SELECT pg_reload_conf()');
  });
  after(async () => {
    // Its server is removed before.
    await scratch?.dispose().catch(() => undefined);
    await Promise.all([certificate?.remove(), others?.remove(), rm(folder, { recursive: true })]);
  });

  it('has no failed call while the password changes, from a file or a command', async function () {
    this.timeout(20_000);
    await changePassword('first');
    const sources = [{ passwordFile: passwordFile() }, { passwordCommand: ['cat', passwordFile()] }];
    for (let change = 0; change < 10; change++) {
      const changed = changePassword(`a password ${change}`);
      // Every store makes new connections.
      const { users } = await scratch.open({
        connectionString: urlOf('app', '?sslmode=disable'),
        ...sources[change % 2],
      });
      const calls = ['a', 'b', 'c', 'd'].map((name) => users.insert(userOf(`${name}${change}@example.com`)));
      for (const outcome of await Promise.all(calls)) expect(outcome).to.have.property('version');
      await changed;
      await users.close();
    }
  });

  it('says what is wrong with a password, and repeats nothing', async () => {
    const connectionString = urlOf('app', '?sslmode=disable');
    const reasonWith = async (options: Parameters<ScratchSchema['open']>[0]): Promise<string> => {
      const { users } = await scratch.open({ connectionString, ...options }, { operationTimeoutMs: 1_500 });
      return String(await rejection(users.check()));
    };
    await writeFile(passwordFile(), 'canary');
    expect(await reasonWith({})).to.include('the server expects a password');
    expect(await reasonWith({ connectionString: connectionString.replace('app@', 'app:canary@') }))
      .to.include('the user or its password is wrong (28P01)')
      .and.not.include('canary');
    expect(await reasonWith({ passwordFile: `${passwordFile()}.canary` }))
      .to.include('the passwordFile: the file does not exist')
      .and.not.include('canary');
    expect(await reasonWith({ passwordCommand: ['sh', '-c', 'echo canary; exit 3'] }))
      .to.include('the passwordCommand failed (3)')
      .and.not.include('canary');
    expect(await reasonWith({ passwordCommand: ['true'] })).to.include('the passwordCommand is empty');
    expect(await reasonWith({ passwordCommand: ['cat'] }), 'a command that reads').to.include(
      'the passwordCommand is empty',
    );
    expect(await reasonWith({ passwordFile: passwordFile() })).to.include('the user or its password is wrong (28P01)');
  });

  it('verifies the certificate of the server and its name', async () => {
    const reasonWith = async (connectionString: string, caFile: string | null): Promise<string> => {
      const { users } = await scratch.open({ connectionString, caFile });
      return users.check().catch(String);
    };
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      const connectionString = urlOf('latchkey', `?sslmode=${mode}`);
      expect(await reasonWith(connectionString, certificate.cert), mode).to.include('is read and written');
      expect(await reasonWith(connectionString, others.cert), mode).to.include('is not trusted');
      expect(await reasonWith(connectionString, null), mode).to.include('is not trusted');
      const byAddress = urlOf('latchkey', `?sslmode=${mode}`, '127.0.0.1');
      expect(await reasonWith(byAddress, certificate.cert), mode).to.include('ERR_TLS_CERT_ALTNAME_INVALID');
    }
    const byFile = urlOf('latchkey', `?sslrootcert=${certificate.file}`);
    expect(await reasonWith(byFile, null)).to.include('is read and written');
    const sessions = await scratch.query('SELECT FROM pg_stat_ssl WHERE ssl AND pid <> pg_backend_pid()');
    expect(sessions).to.have.length.greaterThan(0);
  });

  it('says so where the server offers no TLS', async () => {
    await scratch.query('ALTER SYSTEM SET ssl = off');
    await scratch.query('SELECT pg_reload_conf()');
    const { users } = await scratch.open({ connectionString: urlOf('latchkey', '?sslmode=verify-full') });
    expect(String(await rejection(users.check())))
      .to.include('offers no TLS')
      .and.include('sslmode=disable');
  });
});
