import { expect } from 'chai';
import { certificateFor } from '../../../support/mail-server.ts';
import { warningsWith } from './reading.ts';

const hmacSecret = 'a text of at least 32 bytes, as it has to be';
const oauth = { type: 'oauth', issuer: 'https://login.example.com/', hmacSecret };

describe('a warning with its remedy', () => {
  it('is given for passwords that are stored as clients send them', async () => {
    const remedy = 'write algorithm: argon2 and serverSideHash: true';
    for (const passwordHash of [undefined, { algorithm: 'simple' }, { algorithm: 'simple', serverSideHash: true }])
      expect(await warningsWith({ passwordHash })).to.eql([
        `passwordHash.algorithm is simple: passwords are stored as clients send them; ${remedy}`,
      ]);
  });

  it('is given for hashes that are fast to guess', async () => {
    for (const serverSideHash of [false, true])
      expect(await warningsWith({ passwordHash: { algorithm: 'sha256', serverSideHash } })).to.eql([
        'passwordHash.algorithm is sha256: stolen hashes are fast to guess; write algorithm: argon2, serverSideHash: true, accept: [sha256] and rehash: true',
      ]);
    const migrating = { algorithm: 'argon2', serverSideHash: true, accept: ['sha256'], rehash: true };
    expect(await warningsWith({ passwordHash: migrating })).to.eql([]);
  });

  it('is given for tokens of any audience, and for tokens that never expire', async () => {
    const audience =
      'auth.audience is empty: tokens that the issuer made for other services are accepted; write the name of this service there';
    const expiry = 'auth.requireExpiry is false: tokens that never expire are accepted; write true';
    expect(await warningsWith({ auth: oauth })).to.eql([audience, expiry]);
    expect(await warningsWith({ auth: { ...oauth, audience: 'accounts' } })).to.eql([expiry]);
    expect(await warningsWith({ auth: { ...oauth, requireExpiry: true } })).to.eql([audience]);
    expect(await warningsWith({ auth: { ...oauth, audience: ['accounts'], requireExpiry: true } })).to.eql([]);
  });

  it('is given for each webhook that is called without TLS on another machine', async () => {
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

  it('is given for links without a lifetime, where mails are sent', async () => {
    expect(await warningsWith({ email: { type: 'outbox' } })).to.eql([
      'email.tokenLifetime is absent: the link in a mail never expires; write tokenLifetime: 24h',
    ]);
    expect(await warningsWith({ email: { type: 'none' } })).to.eql([]);
  });

  it('is given for passwords that can be guessed without limit', async () => {
    for (const throttle of [undefined, null])
      expect(await warningsWith({ throttle })).to.eql([
        'throttle is absent: passwords can be guessed without limit; write throttle: { clientHeader: X-Client-Address }',
      ]);
    // Nothing to guess.
    const passwordHash = { algorithm: 'argon2', serverSideHash: true, headerCheck: false };
    expect(await warningsWith({ throttle: undefined, passwordHash })).to.eql([]);
  });
});

describe('the warning of plain HTTP', () => {
  const warnings = (server: object) => warningsWith({ email: undefined, server });

  it('is given for an address that other machines reach', async () => {
    for (const server of [
      {},
      { host: '::' },
      { host: '192.0.2.1' },
      { applicationConnectors: [{ port: 1 }] },
      // It says where links lead, and keeps nobody away.
      { publicUrl: 'http://localhost:8080' },
    ])
      expect(await warnings(server), JSON.stringify(server)).to.eql([
        'server.host accepts connections from other machines without TLS: passwords cross the network unencrypted; write server.tls, or end TLS in a proxy and write its https:// address as server.publicUrl',
      ]);
  });

  it('is given for a public URL of plain HTTP, wherever the service listens', async () => {
    const publicUrl = 'http://accounts.example.com/canary';
    for (const host of ['0.0.0.0', '127.0.0.1'])
      expect(await warnings({ host, publicUrl })).to.eql([
        'server.publicUrl starts with http://: passwords and links cross the network unencrypted; end TLS in a proxy or with server.tls, and write https://',
      ]);
  });

  it('is given for keys of administrators that cross the network', async () => {
    const admin = { keys: [{ application: 'ops', secret: 'a secret of an administrator' }] };
    const warnings = (server: object) =>
      warningsWith({ admin, server: { publicUrl: 'https://accounts.example.com', ...server } });
    expect(await warnings({ adminHost: '0.0.0.0' })).to.eql([
      'server.adminHost accepts connections from other machines without TLS: keys of administrators cross the network unencrypted; write server.adminTls, or 127.0.0.1',
    ]);
    expect(await warnings({})).to.eql([]);
    expect(await warningsWith({ server: { publicUrl: 'https://accounts.example.com', adminHost: '0.0.0.0' } })).to.eql(
      [],
    );
  });

  it('is not given where a proxy ends TLS, or where nothing leaves this computer', async () => {
    for (const server of [
      { publicUrl: 'https://accounts.example.com' },
      { host: '127.0.0.1' },
      { host: 'localhost' },
      { host: '::1' },
      { host: '127.0.0.1', publicUrl: 'http://localhost:8080' },
    ])
      expect(await warnings(server), JSON.stringify(server)).to.eql([]);
  });

  it('is not given where the service speaks TLS itself', async () => {
    const { cert, key, remove } = await certificateFor('localhost');
    await remove();
    const server = { tls: { certFile: '@/cert.pem', keyFile: '@/key.pem' } };
    const files = { 'cert.pem': cert, 'key.pem': key };
    expect(await warningsWith({ email: undefined, server }, files)).to.eql([]);
  });
});
