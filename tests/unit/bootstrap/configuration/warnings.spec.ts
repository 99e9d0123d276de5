import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readConfiguration } from '../../../../bootstrap/configuration/configuration-file.ts';
import { basicAuth } from '../../../support/client-keys.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { certificateFor } from '../../../support/mail-server.ts';
import { warningsWith } from './read-configuration.ts';

describe('warnings of the configuration', () => {
  it('are not given for a safe configuration', async () => {
    expect(await warningsWith()).to.eql([]);
  });

  it('are given when no client can use the service', async () => {
    expect(await warningsWith({ auth: undefined })).to.eql([
      'auth is absent: every request to a protected path will be denied',
    ]);
    for (const auth of [{}, { type: 'basic', keys: [] }]) {
      expect(await warningsWith({ auth })).to.eql([
        'auth.keys is empty: every request to a protected path will be denied',
      ]);
    }
  });

  it('are given for short secrets of clients, without repeating them', async () => {
    const keys = [
      { application: 'a', secret: '15 characters!!' },
      { application: 'b', secret: '16 characters!!!' },
    ];
    expect(await warningsWith({ auth: { keys } })).to.eql([
      'auth.keys[0].secret is short; expected at least 16 characters; to make one: openssl rand -base64 24',
    ]);
  });

  it('are given for custom properties that no user may have', async () => {
    const properties = { read: ['plan', 'plann'], write: ['plan'] };
    const keys = [{ application: 'shop', secret: 'a-secret-of-the-shop', properties }];
    const blocks = (allowSuperset: boolean) => ({
      properties: { allowSuperset, allowed: [{ name: 'plan', type: 'string' }] },
      auth: { keys },
      admin: { nameProperty: 'name' },
      events: { webhooks: [{ url: 'https://a.example', secret: `whsec_${'A'.repeat(44)}`, properties: ['seats'] }] },
    });
    expect(await warningsWith(blocks(false))).to.eql([
      'auth.keys[0].properties.read[1] is not in properties.allowed, so that no new user has it',
      'admin.nameProperty is not in properties.allowed, so that no new user has it',
      'events.webhooks[0].properties[0] is not in properties.allowed, so that no new user has it',
    ]);
    expect(await warningsWith(blocks(true))).to.eql([]);
  });

  it('are given for users in memory', async () => {
    expect(await warningsWith({ database: { type: 'memory' } })).to.eql([
      'database.type is memory: users are lost when the service stops',
    ]);
  });

  it('are given when links depend on the request', async () => {
    expect(await warningsWith({ server: { host: '127.0.0.1' } })).to.eql([
      'server.publicUrl is absent: links in mails start with the host that the request names, which its sender chooses',
    ]);
  });

  it('are given when a client could forge the headers of proxies', async () => {
    const publicUrl = 'https://accounts.example.com';
    const trusting = (server: object) => warningsWith({ server: { publicUrl, ...server } });
    for (const trustProxy of [true, 2]) {
      expect(await trusting({ trustProxy })).to.eql([
        'server.trustProxy: anyone who can reach the port directly can forge X-Forwarded headers; list the addresses or networks of the proxies instead, such as [10.0.0.5]',
      ]);
      for (const host of ['127.0.0.1', '::1', 'localhost']) expect(await trusting({ trustProxy, host })).to.eql([]);
    }
    for (const trustProxy of [false, ['10.0.0.5']]) expect(await trusting({ trustProxy })).to.eql([]);
  });

  it('are given when a mail would have no link', async () => {
    const messageOptions = { urlPlaceholderString: 'LINK', bodyHtmlFilePath: '@/a', bodyTextFilePath: '@/b' };
    const email = { type: 'outbox', tokenLifetime: '24h', messageOptions };

    expect(await warningsWith({ email }, { a: 'LINK', b: 'CODEGEN-URL' })).to.eql([
      'email.messageOptions.bodyTextFilePath: the file does not contain urlPlaceholderString, so the mail has no link',
    ]);
  });
});

describe('the warning of a cache that saves no time', () => {
  const warnings = async (options: object): Promise<readonly string[]> =>
    (await warningsWith({ passwordHash: { cache: {}, ...options } })).filter((line) => line.includes('.cache'));

  it('is given for fast algorithms', async () => {
    for (const options of [{ algorithm: 'simple' }, { algorithm: 'sha256', accept: ['sha256'] }]) {
      expect(await warnings(options)).to.eql([`passwordHash.cache saves no time with ${options.algorithm}; remove it`]);
    }
  });

  it('is not given for slow algorithms, also when they are only accepted', async () => {
    for (const options of [
      { algorithm: 'bcrypt' },
      { algorithm: 'argon2' },
      { algorithm: 'sha256', accept: ['bcrypt'] },
    ]) {
      expect(await warnings(options)).to.eql([]);
    }
  });
});

const hmacSecret = 'a text of at least 32 bytes, as it has to be';
const oauth = { type: 'oauth', issuer: 'https://login.example.com/', hmacSecret };

describe('a security warning', () => {
  it('is given for passwords that are stored as clients send them', async () => {
    const remedy = 'write algorithm: argon2 and serverSideHash: true';
    for (const passwordHash of [undefined, { algorithm: 'simple' }, { algorithm: 'simple', serverSideHash: true }])
      expect(await warningsWith({ passwordHash })).to.eql([
        `passwordHash.algorithm is simple: passwords are stored as clients send them; ${remedy}`,
      ]);
  });

  it('is given for fast hashes', async () => {
    for (const serverSideHash of [false, true])
      expect(await warningsWith({ passwordHash: { algorithm: 'sha256', serverSideHash } })).to.eql([
        'passwordHash.algorithm is sha256: stolen hashes are fast to guess; write algorithm: argon2, serverSideHash: true, accept: [sha256] and rehash: true',
      ]);
    const migrating = { algorithm: 'argon2', serverSideHash: true, accept: ['sha256'], rehash: true };
    expect(await warningsWith({ passwordHash: migrating })).to.eql([]);
  });

  it('is given for tokens of any audience and without expiry', async () => {
    const audience =
      'auth.audience is empty: tokens for other services of the issuer are accepted; write the audience of this service';
    const expiry = 'auth.requireExpiry is false: tokens that never expire are accepted; write true';
    expect(await warningsWith({ auth: oauth })).to.eql([audience, expiry]);
    expect(await warningsWith({ auth: { ...oauth, audience: 'accounts' } })).to.eql([expiry]);
    expect(await warningsWith({ auth: { ...oauth, requireExpiry: true } })).to.eql([audience]);
    expect(await warningsWith({ auth: { ...oauth, audience: ['accounts'], requireExpiry: true } })).to.eql([]);
  });

  it('is given for each webhook without TLS on another machine', async () => {
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const warnings = (...urls: readonly string[]) =>
      warningsWith({ events: { webhooks: urls.map((url) => ({ url, secret })) } });
    const line = (index: number) =>
      `events.webhooks[${index}].url starts with http://: email addresses cross the network unencrypted; write an https:// URL`;
    expect(await warnings('https://a.example.com/', 'http://b.example.com/?key=canary', 'HTTP://10.0.0.1/')).to.eql([
      line(1),
      line(2),
    ]);
    expect(await warnings('http://localhost:9000/', 'http://127.0.0.2/', 'http://[::1]/')).to.eql([]);
  });

  it('is given for links that never expire', async () => {
    expect(await warningsWith({ email: { type: 'outbox' } })).to.eql([
      'email.tokenLifetime is absent: links in mails never expire; write tokenLifetime: 24h',
    ]);
    expect(await warningsWith({ email: { type: 'none' } })).to.eql([]);
  });

  it('is given for passwords that can be guessed without limit', async () => {
    for (const throttle of [undefined, null])
      expect(await warningsWith({ throttle })).to.eql([
        'throttle is absent: passwords can be guessed without limit; write throttle: { clientHeader: X-Client-Address }',
      ]);
    // Passwords in bodies are checked all the same.
    const passwordHash = { algorithm: 'argon2', serverSideHash: true, headerCheck: false };
    expect(await warningsWith({ throttle: undefined, passwordHash })).to.eql([
      'throttle is absent: passwords can be guessed without limit by POST /users/check; write throttle: { clientHeader: X-Client-Address }',
    ]);
  });

  it('is given for events about listed passwords that no webhook receives', async () => {
    const passwordHash = { algorithm: 'argon2', serverSideHash: true };
    const passwordRules = { blocklist: '@/list.txt', onCheck: 'event' };
    const webhook = { url: 'https://a.example.com/', secret: `whsec_${'A'.repeat(32)}` };
    const warnings = (...webhooks: readonly object[]) =>
      warningsWith({ passwordHash, passwordRules, events: { webhooks } }, { 'list.txt': 'password\n' });
    const line =
      'passwordRules.onCheck is event: no webhook receives password.listed; write it in events.webhooks[].types';
    expect(await warnings()).to.eql([line]);
    expect(await warnings({ ...webhook, types: ['user.created'] })).to.eql([line]);
    expect(await warnings(webhook)).to.eql([]);
    expect(await warnings({ ...webhook, types: ['user.created', 'password.listed'] })).to.eql([]);
  });

  it('is given for a redirect to a page that does not exist', async () => {
    expect(await warningsWith({ openApi: { enabled: false, redirectRoot: true } })).to.eql([
      'openApi.redirectRoot has no effect with openApi.enabled: false; remove one of them',
    ]);
    expect(await warningsWith({ openApi: { enabled: false } })).to.eql([]);
  });

  it('is given for allowed domains that are blocked, also by a domain above them', async () => {
    const line = 'signUp.allowedDomains has a domain that signUp.blockedDomains blocks; remove it from one of them';
    const warnings = (...blockedDomains: readonly string[]) =>
      warningsWith({ signUp: { allowedDomains: ['example.org', 'mail.example.com'], blockedDomains } });
    expect(await warnings('MAIL.example.com')).to.eql([line]);
    expect(await warnings('example.com')).to.eql([line]);
    expect(await warnings('bad.example.org', 'ample.com')).to.eql([]);
  });

  it('is given for activity that is recorded only from a time in the future', async () => {
    const warnings = (time: number) =>
      warningsWith({ activity: { since: `${new Date(time).toISOString().slice(0, 19)}Z` } });
    expect(await warnings(Date.now() + 60_000)).to.eql([
      'activity.since is in the future: until then, nobody counts as inactive',
    ]);
    expect(await warnings(Date.now() - 60_000)).to.eql([]);
  });
});

describe('the warning of plain HTTP', () => {
  const warnings = (server: object) => warningsWith({ email: undefined, server });

  it('is given for an address that other machines can reach', async () => {
    for (const server of [
      {},
      { host: '::' },
      { host: '192.0.2.1' },
      { applicationConnectors: [{ port: 1 }] },
      // It sets the host of links and does not restrict access.
      { publicUrl: 'http://localhost:8080' },
    ])
      expect(await warnings(server), JSON.stringify(server)).to.eql([
        'server.host accepts connections from other machines without TLS: passwords cross the network unencrypted; write server.tls, or end TLS in a proxy and write its https:// URL as server.publicUrl',
      ]);
  });

  it('is given for a public URL of plain HTTP, wherever the service listens', async () => {
    const publicUrl = 'http://accounts.example.com/canary';
    for (const host of ['0.0.0.0', '127.0.0.1'])
      expect(await warnings({ host, publicUrl })).to.eql([
        'server.publicUrl starts with http://: passwords and links cross the network unencrypted; end TLS in a proxy or with server.tls, and write https://',
      ]);
  });

  it('is given for keys of administrators on an unencrypted admin port', async () => {
    const admin = { keys: [{ application: 'ops', secret: 'a secret of an administrator' }] };
    const warnings = (server: object) =>
      warningsWith({ admin, server: { publicUrl: 'https://accounts.example.com', ...server } });
    expect(await warnings({ adminHost: '0.0.0.0' })).to.eql([
      'server.adminHost accepts connections from other machines without TLS: keys of administrators cross the network unencrypted; write server.adminTls, or adminHost: 127.0.0.1',
    ]);
    expect(await warnings({})).to.eql([]);
    expect(await warningsWith({ server: { publicUrl: 'https://accounts.example.com', adminHost: '0.0.0.0' } })).to.eql(
      [],
    );
  });

  it('is not given when a proxy ends TLS, or on a loopback address', async () => {
    for (const server of [
      { publicUrl: 'https://accounts.example.com' },
      { host: '127.0.0.1' },
      { host: 'localhost' },
      { host: '::1' },
      { host: '127.0.0.1', publicUrl: 'http://localhost:8080' },
    ])
      expect(await warnings(server), JSON.stringify(server)).to.eql([]);
  });

  it('is not given when the service ends TLS itself', async () => {
    const { cert, key, remove } = await certificateFor('localhost');
    await remove();
    const server = { tls: { certFile: '@/cert.pem', keyFile: '@/key.pem' } };
    const files = { 'cert.pem': cert, 'key.pem': key };
    expect(await warningsWith({ email: undefined, server }, files)).to.eql([]);
  });
});

describe('config/local.yaml', () => {
  const file = 'config/local.yaml';

  it('causes no warning, keeps mails and hashes passwords', async () => {
    const { configuration, warnings } = await readConfiguration(file, silentContext.log);

    expect(warnings).to.eql([]);
    expect(configuration.server).to.include({ host: '127.0.0.1', port: 8080 });
    expect(configuration.database.type).to.equal('sqlite');
    expect(configuration.email?.type).to.equal('outbox');
    expect(configuration.passwordHash).to.include({ algorithm: 'argon2', serverSideHash: true });
    expect(configuration.auth).to.eql(basicAuth('dev', 'development-only'));
  });

  it('takes other ports from the environment, because other programs use these', async () => {
    const environment = { PORT: process.env.PORT, ADMIN_PORT: process.env.ADMIN_PORT };
    Object.assign(process.env, { PORT: '9000', ADMIN_PORT: '9001' });
    try {
      const { server } = (await readConfiguration(file, silentContext.log)).configuration;
      expect(server).to.include({ port: 9000, adminPort: 9001, publicUrl: 'http://127.0.0.1:9000' });
    } finally {
      for (const [name, value] of Object.entries(environment))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });

  it('warns that its secret is for development', async () => {
    expect(await readFile(file, 'utf8')).to.match(/FOR DEVELOPMENT ONLY/);
  });
});
