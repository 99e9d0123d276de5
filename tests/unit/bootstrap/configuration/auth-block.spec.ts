import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { basicAuth } from '../../../support/client-keys.ts';
import { configured, database, type Files, problemsOf } from './read-configuration.ts';

const auth = (options: string): string => `${database}\nauth: ${options}`;
const hmac = 'a secret of at least 32 bytes, just so';
const oauth = (options: string): string => auth(`{type: oauth, issuer: me, hmacSecret: "${hmac}"${options}}`);

const rsa = (bits: number): KeyObject => generateKeyPairSync('rsa', { modulusLength: bits }).publicKey;

describe('the block auth', () => {
  it('is of type basic by default', async () => {
    expect((await configured(auth('{}'))).auth).to.eql({ type: 'basic', keys: [] });
    expect((await configured(auth('{keys: [{application: a, secret: "x:y"}]}'))).auth).to.eql(basicAuth('a', 'x:y'));
    expect(await problemsOf(auth('{type: digest, keys: 1}'))).to.eql(['auth.type: expected one of basic, oauth']);
    expect(await problemsOf(auth('{keys: {a: b}}'))).to.eql(['auth.keys: expected a list']);
  });

  it('lists custom properties that a key may read and write', async () => {
    const keys = (properties: string) => auth(`{keys: [{application: a, secret: "x:y", properties: ${properties}}]}`);
    expect((await configured(keys('{read: [name], write: []}'))).auth)
      .to.have.property('keys')
      .with.nested.property('[0].properties')
      .that.eql({ read: ['name'], write: [] });
    expect(await problemsOf(keys('{read: [email], write: name}'))).to.eql([
      'auth.keys[0].properties.read[0]: is a field of every user, not a custom property',
      'auth.keys[0].properties.write: expected a list',
    ]);
  });

  it('needs only a key and the issuer with type oauth', async () => {
    const decoded = (await configured(oauth(''))).auth;

    expect(decoded).to.include({ type: 'oauth', issuer: 'me', rsaKey: null, jwksUrl: null, requireExpiry: false });
    expect(decoded).to.have.property('audience').that.eql([]);
    expect(decoded?.type === 'oauth' && decoded.hmacKeys.map(({ key }) => key.export().toString())).to.eql([hmac]);
  });

  it('accepts a prefix of scopes that a scope can start with', async () => {
    expect((await configured(oauth(''))).auth).to.have.property('scopePrefix', null);
    for (const scopePrefix of ['latchkey:', 'https://users.example.com/'])
      expect((await configured(oauth(`, scopePrefix: "${scopePrefix}"`))).auth).to.include({ scopePrefix });
    for (const scopePrefix of ['two words', 'ü:', '\\"'])
      expect(await problemsOf(oauth(`, scopePrefix: "${scopePrefix}"`)), scopePrefix).to.eql([
        'auth.scopePrefix: expected characters of a scope: ASCII, without spaces, quotes and backslashes',
      ]);
  });

  it('accepts one audience, several, or none', async () => {
    const audiences: Readonly<Record<string, readonly string[]>> = {
      x: ['x'],
      '""': [],
      '[]': [],
      '[x, y]': ['x', 'y'],
    };
    for (const [written, decoded] of Object.entries(audiences)) {
      expect((await configured(oauth(`, audience: ${written}`))).auth)
        .to.have.property('audience')
        .that.eql(decoded);
    }
    expect(await problemsOf(oauth(', audience: 5'))).to.eql(['auth.audience: expected text, or a list of texts']);
    expect(await problemsOf(oauth(', audience: [x, 5]'))).to.eql([
      'auth.audience[1]: expected text (in quotes if it looks like a number)',
    ]);
    expect((await configured(oauth(', requireExpiry: true'))).auth).to.include({ requireExpiry: true });
  });

  it('reports everything that is missing with type oauth', async () => {
    expect(await problemsOf(auth('{type: oauth, requireExpiry: maybe}'))).to.eql([
      'auth.issuer: is required: text (in quotes if it looks like a number)',
      'auth.requireExpiry: expected true or false',
      'auth: type oauth needs at least one of hmacSecret, rsaPublicKeyFilePath, jwksUrl',
    ]);
    expect(await problemsOf(auth(`{type: oauth, issuer: "", hmacSecret: "${hmac}"}`))).to.eql([
      'auth.issuer: expected text (in quotes if it looks like a number)',
    ]);
  });

  it('takes two HMAC secrets, each with the time from which it is refused', async () => {
    const next = 'another secret of at least 32 bytes, too';
    const two = `[{secret: "${hmac}", expires: 2030-01-31}, {secret: "${next}"}]`;
    const decoded = (await configured(auth(`{type: oauth, issuer: me, hmacSecret: ${two}}`))).auth;
    const keys = decoded?.type === 'oauth' ? decoded.hmacKeys : [];
    expect(keys.map(({ key, ...others }) => ({ ...others, secret: key.export().toString() }))).to.eql([
      { secret: hmac, expires: Date.UTC(2030, 0, 31), option: 'auth.hmacSecret[0]' },
      { secret: next, expires: null, option: 'auth.hmacSecret[1]' },
    ]);
    expect(await problemsOf(auth('{type: oauth, issuer: me, hmacSecret: [{secret: private}]}'))).to.eql([
      'auth.hmacSecret[0].secret: is too short; expected at least 32 bytes; to make one: openssl rand -base64 32',
    ]);
  });

  it('measures the HMAC secret in bytes', async () => {
    await configured(auth(`{type: oauth, issuer: me, hmacSecret: ${'é'.repeat(16)}}`));

    expect(await problemsOf(auth(`{type: oauth, issuer: me, hmacSecret: ${'x'.repeat(31)}}`))).to.eql([
      'auth.hmacSecret: is too short; expected at least 32 bytes; to make one: openssl rand -base64 32',
    ]);
  });

  it('refuses options of the other type', async () => {
    expect(await problemsOf(auth(`{hmacSecret: "${hmac}", issuer: me, requireExpiry: true}`))).to.eql(
      ['hmacSecret', 'issuer', 'requireExpiry'].map(
        (key) => `auth.${key}: belongs to type: oauth; remove it, or write type: oauth`,
      ),
    );
    expect(await problemsOf(oauth(', keys: [{application: a, secret: b}]'))).to.eql([
      'auth.keys: belongs to type: basic; remove it, or write type: basic',
    ]);
    await configured(oauth(', keys: []'));
    await configured(auth('{audience: "", hmacSecret: null}'));
  });

  it('accepts https URLs of JWKS, and http URLs of this machine', async () => {
    const withUrl = (url: string) => auth(`{type: oauth, issuer: me, jwksUrl: "${url}"}`);
    for (const url of [
      'https://issuer.example.com/keys/?p=1',
      'http://localhost:1/',
      'http://127.0.0.1/a',
      'http://[::1]:9/a',
    ])
      expect((await configured(withUrl(url))).auth).to.deep.include({ jwksUrl: url, hmacKeys: [], rsaKey: null });
    for (const url of [
      'http://issuer.example.com/keys',
      'https://user:a@example.com',
      'https://x/#a',
      'keys',
      'file:///a',
    ])
      expect(await problemsOf(withUrl(url)), url).to.eql([
        'auth.jwksUrl: expected an https URL without user and fragment; http is for localhost only',
      ]);
    expect(await problemsOf(auth('{jwksUrl: "https://issuer.example.com/keys"}'))).to.eql([
      'auth.jwksUrl: belongs to type: oauth; remove it, or write type: oauth',
    ]);
  });

  describe('rsaPublicKeyFilePath', () => {
    const key = rsa(2048);
    const withKey = auth('{type: oauth, issuer: me, rsaPublicKeyFilePath: "@/key.der"}');
    const refused = async (files: Files): Promise<string | undefined> => (await problemsOf(withKey, files))[0];

    for (const type of ['spki', 'pkcs1'] as const) {
      it(`reads DER as ${type}`, async () => {
        const decoded = (await configured(withKey, { 'key.der': key.export({ format: 'der', type }) })).auth;
        expect(decoded).to.deep.include({ hmacKeys: [] });
        expect(decoded?.type === 'oauth' && decoded.rsaKey?.equals(key)).to.equal(true);
      });
    }

    it('refuses other files and short keys', async () => {
      const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' });
      const pem = key.export({ format: 'pem', type: 'spki' });

      for (const content of [ec, pem, 'hello', '']) {
        expect(await refused({ 'key.der': content })).to.match(
          /^auth\.rsaPublicKeyFilePath: .* no RSA public key in DER form/,
        );
      }
      expect(await refused({ 'key.der': rsa(1024).export({ format: 'der', type: 'spki' }) })).to.equal(
        'auth.rsaPublicKeyFilePath: the RSA key is too short; expected at least 2048 bits',
      );
      expect(await refused({})).to.match(/^auth\.rsaPublicKeyFilePath: the file does not exist/);
    });
  });
});
