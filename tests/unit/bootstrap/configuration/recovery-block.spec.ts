import { expect } from 'chai';
import { configured, problemsOf } from './read-configuration.ts';

const complete = {
  server: { publicUrl: 'https://users.example.com' },
  database: { type: 'sqlite' },
  email: { type: 'outbox' },
  passwordHash: { algorithm: 'argon2', serverSideHash: true },
};

const yamlOf = (recovery: unknown, blocks: object = {}): string => JSON.stringify({ ...complete, ...blocks, recovery });

const codeKey = 'a key of thirty-two bytes or more';

describe('the block recovery', () => {
  it('is undefined when it is absent, and has defaults', async () => {
    expect((await configured(JSON.stringify(complete))).recovery).to.equal(undefined);
    expect((await configured(yamlOf({}))).recovery).to.deep.equal({
      lifetimeMs: 3_600_000,
      resendIntervalMs: 60_000,
      attempts: 5,
      form: 'link',
      deliver: 'mail',
      pageUrl: null,
      requestUrl: null,
      codeKeys: [],
    });
  });

  const refused: Readonly<Record<string, readonly [recovery: object, blocks: object, problem: string]>> = {
    'an interval that is longer than the lifetime': [
      { lifetime: '30s' },
      {},
      'recovery.resendInterval: is longer than lifetime: a token would expire before the next one',
    ],
    'codes without a key': [
      { form: 'code' },
      {},
      'recovery.codeKey: is required with form: code; to make one: openssl rand -base64 32',
    ],
    'a short key': [{ form: 'code', codeKey: 'short' }, {}, 'recovery.codeKey: expected at least 32 bytes'],
    'a first key that expires': [
      { form: 'code', codeKey: [{ secret: codeKey, expires: '2030-01-31' }, { secret: codeKey }] },
      {},
      'recovery.codeKey: the first key must have no expires, because it makes the codes',
    ],
    'a key for links': [{ codeKey }, {}, 'recovery.codeKey: has no effect with form: link'],
    'a page for codes': [
      { form: 'code', codeKey, pageUrl: 'https://app.example.com/' },
      {},
      'recovery.pageUrl: has no effect with form: code',
    ],
    'a page without mails': [
      { deliver: 'caller', pageUrl: 'https://app.example.com/' },
      {},
      'recovery.pageUrl: has no effect with deliver: caller, which sends no mail',
    ],
    'mails without a mailer': [
      {},
      { email: { type: 'none' } },
      'recovery: needs a mailer; configure the block email, or write deliver: caller',
    ],
    'a page of the service whose address the request would choose': [
      {},
      { server: {} },
      'recovery: needs server.publicUrl, with which the link starts; write it, or pageUrl',
    ],
    'a page of the service where clients hash passwords': [
      {},
      { passwordHash: { algorithm: 'argon2' } },
      'recovery: needs passwordHash.serverSideHash: true for its page; write it, or the pageUrl of a page that hashes passwords',
    ],
    'a caller who learns unknown users that are hidden': [
      { deliver: 'caller' },
      { privacy: { hideUnknownUsers: true } },
      'recovery.deliver: contradicts privacy.hideUnknownUsers: the caller learns which addresses are unknown',
    ],
    'a custom property with the name of the time that is shown': [
      {},
      { properties: { allowed: [{ name: 'passwordTime', type: 'integer' }] } },
      'properties.allowed[0].name: is a member of every user with the blocks recovery and passwordRules, not a custom property',
    ],
  };
  for (const [what, [recovery, blocks, problem]] of Object.entries(refused))
    it(`refuses ${what}`, async () => {
      expect(await problemsOf(yamlOf(recovery, blocks))).to.deep.equal([problem]);
    });

  it('accepts a page of the application without the public address', async () => {
    const yaml = yamlOf({ pageUrl: 'https://app.example.com/reset?source=mail' }, { server: {}, passwordHash: {} });
    expect((await configured(yaml)).recovery?.pageUrl).to.equal('https://app.example.com/reset?source=mail');
    for (const pageUrl of ['javascript:alert(1)', 'https://a:b@example.com/', 'https://example.com/?token=t'])
      expect(await problemsOf(yamlOf({ pageUrl }))).to.have.length(1);
  });
});
