import { expect } from 'chai';
import { expiringSecrets, secretWarnings } from '../../../../bootstrap/configuration/warnings.ts';
import { sha256 } from '../../../support/client-keys.ts';
import { configured, database, problemsOf, warningsOf } from './read-configuration.ts';

const [former, next] = ['a former secret of the shop', 'the next secret of the shop'];
const keys = (secrets: string, block = 'auth'): string =>
  `${database}\n${block}: {keys: [{application: shop, secrets: ${secrets}}]}`;

describe('the secrets of a key', () => {
  for (const block of ['auth', 'admin'] as const) {
    it(`are one or two of ${block}.keys, as they are or as digests, until they expire`, async () => {
      const digest = sha256(next).toUpperCase();
      const yaml = keys(`[{secret: ${former}, expires: 2030-01-31}, {sha256: ${digest}}]`, block);
      const decoded = (await configured(yaml))[block];
      const [key] = decoded && 'keys' in decoded ? decoded.keys : [];
      expect(key?.secrets).to.eql([
        {
          secret: former,
          sha256: sha256(former),
          expires: Date.UTC(2030, 0, 31),
          option: `${block}.keys[0].secrets[0]`,
        },
        { secret: null, sha256: sha256(next), expires: null, option: `${block}.keys[0].secrets[1]` },
      ]);
    });
  }

  it('expire on a date or at a time', async () => {
    const times = {
      '2030-01-31': Date.UTC(2030, 0, 31),
      '"2030-01-31T18:00Z"': Date.UTC(2030, 0, 31, 18),
      '2030-01-31T18:00:30+01:00': Date.UTC(2030, 0, 31, 17, 0, 30),
    };
    for (const [written, expires] of Object.entries(times)) {
      const { auth } = await configured(keys(`[{secret: ${former}, expires: ${written}}]`));
      expect(auth?.type === 'basic' && auth.keys[0]?.secrets[0]?.expires, written).to.equal(expires);
    }
    for (const wrong of ['2030', '2030-02-31', '2030-01-31T18:00', '2030-01-31T25:00Z', 'tomorrow', '31.1.2030', '5'])
      expect(await problemsOf(keys(`[{secret: ${former}, expires: ${wrong}}]`)), wrong).to.eql([
        'auth.keys[0].secrets[0].expires: expected a date such as 2030-01-31, or a time such as 2030-01-31T18:00:00Z',
      ]);
  });

  const problems = {
    '[]': 'auth.keys[0].secrets: expected one or two secrets',
    '[{secret: private}, {secret: private}, {secret: private}]': 'auth.keys[0].secrets: expected one or two secrets',
    '[{}]': 'auth.keys[0].secrets[0].secret: is required, or sha256 instead',
    [`[{secret: private, sha256: ${sha256('private')}}]`]:
      'auth.keys[0].secrets[0].secret: says the same as sha256; keep one of them',
    '[{sha256: private}]':
      'auth.keys[0].secrets[0].sha256: expected the SHA-256 of the secret as 64 hexadecimal digits; to make both: latchkey key',
    '[{secret: private}], secret: private': 'auth.keys[0].secret: says the same as secrets; keep one of them',
  };
  for (const [secrets, problem] of Object.entries(problems)) {
    it(`are refused without their values: ${problem}`, async () => {
      expect(await problemsOf(keys(secrets))).to.eql([problem]);
    });
  }

  it('are long for administrators, and warned about for clients', async () => {
    const short = '[{secret: short}]';
    expect(await problemsOf(keys(short, 'admin'))).to.eql([
      'admin.keys[0].secrets[0].secret: is too short; expected at least 16 characters; to make one: openssl rand -base64 24',
    ]);
    expect(await warningsOf(keys(short))).to.include(
      'auth.keys[0].secrets[0] is short; expected at least 16 characters; to make one: openssl rand -base64 24',
    );
  });

  it('of administrators belong to no client, whichever of them is a digest', async () => {
    for (const [client, administrator] of [
      [`secret: ${former}`, `sha256: ${sha256(former)}`],
      [`sha256: ${sha256(former)}`, `secret: ${former}`],
    ] as const) {
      const admin = `\nadmin: {keys: [{application: shop, secrets: [{secret: ${next}}, {${administrator}}]}]}`;
      expect(await problemsOf(`${keys(`[{${client}}]`)}${admin}`)).to.eql([
        'admin.keys[0]: is a key of auth too; administrators need a key of their own',
      ]);
    }
  });

  it('belong to one key each, unless the keys may do the same, whichever of them is a digest', async () => {
    const key = (secret: string, limits = '') => `{application: shop, secrets: [{${secret}}]${limits}}`;
    const [plain, digest] = [`secret: ${former}`, `sha256: ${sha256(former)}`];
    const problem = (path: string) => [
      `${path}: has a secret of keys[0], which may do something else; give one of them another secret`,
    ];
    for (const block of ['auth', 'admin'])
      for (const others of [key(digest), key(digest, ', may: []')])
        expect(
          await problemsOf(`database: {type: memory}\n${block}: {keys: [${key(plain, ', may: [read]')}, ${others}]}`),
        ).to.eql(problem(`${block}.keys[1]`));
    const properties = ', properties: {read: [name]}';
    const twice = (limits: string) => `database: {type: memory}\nauth: {keys: [${key(plain)}, ${key(digest, limits)}]}`;
    expect(await problemsOf(twice(properties))).to.eql(problem('auth.keys[1]'));
    expect(await configured(twice('')).catch(() => 'refused')).to.not.equal('refused');
  });
});

describe('secrets that expire', () => {
  const [at, dayMs] = [Date.UTC(2030, 0, 31, 12), 86_400_000];
  const expires = '2030-01-31T12:00Z';
  const whsec = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const secrets = (one: string, other = one) => [{ secret: one, expires }, { secret: other }];
  const codeKey = 'a key of thirty-two bytes or more';
  const blocks = {
    database: { type: 'sqlite' },
    auth: { keys: [{ application: 'shop', secrets: secrets(former) }] },
    admin: { keys: [{ application: 'root', secrets: [{ secret: former }, { sha256: sha256(next), expires }] }] },
    events: { webhooks: [{ url: 'https://example.com', secrets: secrets(whsec) }] },
    email: { type: 'outbox', form: 'code', tokenLifetime: '1h', codeKey: secrets(codeKey).reverse() },
    recovery: { deliver: 'caller', form: 'code', codeKey: secrets(codeKey).reverse() },
  };
  const places = [
    'auth.keys[0].secrets[0]',
    'admin.keys[0].secrets[1]',
    'events.webhooks[0].secrets[0]',
    'email.codeKey[1]',
    'recovery.codeKey[1]',
  ];

  it('are warned about in the last 14 days, and until they are removed', async () => {
    const configuration = await configured(JSON.stringify(blocks));
    const warnings = (nowMs: number) => secretWarnings(configuration, nowMs);
    expect(warnings(at - 14 * dayMs)).to.eql([]);
    expect(warnings(at - 14 * dayMs + 1)).to.eql(
      places.map((place) => `${place} expires on 2030-01-31T12:00Z; change it wherever it is still used`),
    );
    expect(warnings(at)).to.eql(places.map((place) => `${place} expired on 2030-01-31T12:00Z; remove it`));
  });

  it('may be those of tokens', async () => {
    const hmacSecret = secrets('an HMAC secret of at least 32 bytes');
    const configuration = await configured(
      JSON.stringify({ database: blocks.database, auth: { type: 'oauth', issuer: 'me', hmacSecret } }),
    );
    expect(expiringSecrets(configuration)).to.eql([{ option: 'auth.hmacSecret[0]', expires: at }]);
  });

  it('are among the warnings of the configuration', async () => {
    expect(await warningsOf(keys(`[{secret: ${former}, expires: 2020-01-31}]`))).to.include(
      'auth.keys[0].secrets[0] expired on 2020-01-31T00:00Z; remove it',
    );
  });
});
