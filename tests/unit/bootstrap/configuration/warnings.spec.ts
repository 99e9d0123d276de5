import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readConfiguration } from '../../../../bootstrap/configuration/index.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { warningsWith } from './reading.ts';

describe('warnings of the configuration', () => {
  it('are none for a complete file', async () => {
    expect(await warningsWith()).to.eql([]);
  });

  it('say that nobody can use the service', async () => {
    expect(await warningsWith({ auth: undefined })).to.eql([
      'auth is absent: every request to a protected path will be denied',
    ]);
    for (const auth of [{}, { type: 'basic', keys: [] }]) {
      expect(await warningsWith({ auth })).to.eql([
        'auth.keys is empty: every request to a protected path will be denied',
      ]);
    }
  });

  it('say that the secret of a client is short, without showing it', async () => {
    const keys = [
      { application: 'a', secret: '15 characters!!' },
      { application: 'b', secret: '16 characters!!!' },
    ];
    expect(await warningsWith({ auth: { keys } })).to.eql([
      'auth.keys[0].secret is short; expected at least 16 characters, such as openssl rand -base64 24 makes',
    ]);
  });

  it('say that users in memory do not last', async () => {
    expect(await warningsWith({ database: { type: 'memory' } })).to.eql([
      'database.type is memory: the users are gone when the service stops',
    ]);
  });

  it('say that links depend on the request', async () => {
    expect(await warningsWith({ server: { host: '127.0.0.1' } })).to.eql([
      'server.publicUrl is absent: the link in a mail starts with the host that the request names',
    ]);
  });

  it('say that forged headers are believed where no network of a proxy is named', async () => {
    const publicUrl = 'https://accounts.example.com';
    const trusting = (server: object) => warningsWith({ server: { publicUrl, ...server } });
    for (const trustProxy of [true, 2]) {
      expect(await trusting({ trustProxy })).to.eql([
        'server.trustProxy: anyone who can reach the port directly can forge X-Forwarded headers; list the addresses or networks of the proxy instead, such as [10.0.0.5]',
      ]);
      for (const host of ['127.0.0.1', '::1', 'localhost']) expect(await trusting({ trustProxy, host })).to.eql([]);
    }
    for (const trustProxy of [false, ['10.0.0.5']]) expect(await trusting({ trustProxy })).to.eql([]);
  });

  it('say that a mail would have no link', async () => {
    const messageOptions = { urlPlaceholderString: 'LINK', bodyHtmlFilePath: '@/a', bodyTextFilePath: '@/b' };
    const email = { type: 'outbox', tokenLifetime: '24h', messageOptions };

    expect(await warningsWith({ email }, { a: 'LINK', b: 'CODEGEN-URL' })).to.eql([
      'email.messageOptions.bodyTextFilePath: the file does not contain urlPlaceholderString, so the mail has no link',
    ]);
  });
});

describe('the warning of a cache that costs more than it saves', () => {
  const warnings = async (options: object): Promise<readonly string[]> =>
    (await warningsWith({ passwordHash: { cache: {}, ...options } })).filter((line) => line.includes('.cache'));

  it('is there for algorithms whose checks are cheap', async () => {
    for (const options of [{ algorithm: 'simple' }, { algorithm: 'sha256', accept: ['sha256'] }]) {
      expect(await warnings(options)).to.eql([
        `passwordHash.cache: a check with ${options.algorithm} costs no more than the cache; leave it out`,
      ]);
    }
  });

  it('is not there for others, or where hashes of others are accepted', async () => {
    for (const options of [
      { algorithm: 'bcrypt' },
      { algorithm: 'argon2' },
      { algorithm: 'sha256', accept: ['bcrypt'] },
    ]) {
      expect(await warnings(options)).to.eql([]);
    }
  });
});

describe('config/local.yaml', () => {
  const file = 'config/local.yaml';

  it('starts without a warning, with every mail kept and every password hashed', async () => {
    const { configuration, warnings } = await readConfiguration(file, silentContext.log);

    expect(warnings).to.eql([]);
    expect(configuration.server).to.include({ host: '127.0.0.1', port: 8080 });
    expect(configuration.database.type).to.equal('sqlite');
    expect(configuration.email?.type).to.equal('outbox');
    expect(configuration.passwordHash).to.include({ algorithm: 'argon2', serverSideHash: true });
    expect(configuration.auth).to.eql({ type: 'basic', keys: [{ application: 'dev', secret: 'development-only' }] });
  });

  it('says that its secret is for development', async () => {
    expect(await readFile(file, 'utf8')).to.match(/FOR DEVELOPMENT ONLY/);
  });
});
