import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type Account, type Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

const hashed = (algorithm: string, options: object = {}) => ({
  passwordHash: { algorithm, serverSideHash: true, ...options },
});

const update = (client: Client, { address, password }: Account, changes: object = {}) =>
  client.put('/users', { password, body: { email: { address }, ...changes } });

const algorithms = {
  simple: { blocks: hashed('simple'), stored: /^a password [0-9a-f-]{36}$/ },
  sha256: { blocks: hashed('sha256'), stored: /^.{16}[0-9a-f]{64}$/ },
  bcrypt: { blocks: hashed('bcrypt', { cost: 4 }), stored: /^\$2b\$04\$[./A-Za-z0-9]{53}$/ },
  argon2: { blocks: hashed('argon2'), stored: /^\$argon2id\$v=19\$m=19456,[^$]*\$[^$]+\$[^$]+$/ },
} as const;

const serverSide = (harness: Harness): void => {
  for (const [name, { blocks, stored }] of Object.entries(algorithms)) {
    describe(`with ${name} and serverSideHash`, () => {
      it('stores a hash of the algorithm, and accepts the password in the header', async () => {
        const { client } = await harness.service(blocks);
        const account = await client.create();
        expect(account.user.password).to.match(stored);
        await client.read(account);
        const query = { email: account.address };
        expect((await client.get('/users', { query, password: newPassword() })).refusal).to.equal('401 wrong_password');
      });

      it('keeps the hash when an update repeats the password or the hash', async () => {
        const { client } = await harness.service(blocks);
        const account = await client.create();
        for (const password of [account.password, account.user.password]) {
          expect((await update(client, account, { password })).user.password).to.equal(account.user.password);
        }
      });

      it('hashes the new password of an update', async () => {
        const { client } = await harness.service(blocks);
        const account = await client.create();
        const password = newPassword();
        const { user } = await update(client, account, { password });
        expect(user.password).to.match(stored).and.not.equal(account.user.password);
        expect((await update(client, account)).refusal).to.equal('401 wrong_password');
        await client.read({ ...account, password });
      });
    });
  }
};

const clientSide = (harness: Harness): void => {
  const forms = {
    sha256: (password: string) => createHash('sha256').update(password).digest('hex'),
    bcrypt: () => '$2y$04$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
  };

  it('without serverSideHash the service stores the password of the request, which may be a hash', async () => {
    const { client } = await harness.service({ passwordHash: { algorithm: 'sha256' } });
    const password = newPassword();
    const account = await client.create({ password: forms.sha256(password) });
    expect(account.user.password).to.equal(forms.sha256(password));
    await client.read({ ...account, password });
  });

  it('401 without computing a stored hash that is malformed or too expensive', async () => {
    const hostile = {
      bcrypt: ['$2b$31$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui', '$2b$04$short', 'plain', '$2b$'],
      argon2: [
        '$argon2id$v=19$m=2097152,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g',
        '$argon2id$',
        'plain',
        '$argon2id$v=19$m=x$$',
      ],
      sha256: ['plain', '0'.repeat(63), 'x'.repeat(80)],
    };
    for (const [algorithm, stored] of Object.entries(hostile)) {
      const { client } = await harness.service({ passwordHash: { algorithm } });
      for (const password of stored) {
        const { address } = await client.create({ password });
        const started = performance.now();
        const response = await client.get('/users', { query: { email: address }, password: 'any password' });
        expect(response.refusal, `${algorithm} ${password}`).to.equal('401 wrong_password');
        expect(performance.now() - started).to.be.below(1_000);
      }
    }
  });
};

const longPasswords = (harness: Harness): void => {
  const create = (client: Client, password: string) =>
    client.post('/users', { body: { email: { address: newAddress() }, password } });

  it('bcrypt: 72 bytes of UTF-8 are the longest password, and no NUL; beyond, 400 on a write', async () => {
    const { client } = await harness.service(algorithms.bcrypt.blocks);
    for (const password of ['a'.repeat(71), 'a'.repeat(72), '🔑'.repeat(18)]) {
      await client.read(await client.create({ password }));
    }
    for (const password of ['a'.repeat(73), `${'🔑'.repeat(18)}a`, 'a\0a']) {
      expect((await create(client, password)).refusal).to.equal('400 unsuitable_password');
    }
    const account = await client.create();
    const response = await update(client, account, { password: 'a'.repeat(73) });
    expect(response.refusal).to.equal('400 unsuitable_password');
    expect((await client.read(account)).user.password).to.equal(account.user.password);
  });

  it('bcrypt: 401 for a header of more bytes, also when its first 72 are the password', async () => {
    const { client } = await harness.service(algorithms.bcrypt.blocks);
    const account = await client.create({ password: 'b'.repeat(72) });
    const query = { email: account.address };
    expect((await client.get('/users', { query, password: 'b'.repeat(73) })).refusal).to.equal('401 wrong_password');
  });

  it('400 for a password with an unpaired surrogate, with every algorithm', async () => {
    for (const blocks of [{}, algorithms.sha256.blocks, algorithms.bcrypt.blocks, algorithms.argon2.blocks]) {
      const { client } = await harness.service(blocks);
      const raw = `{"email":{"address":"${newAddress()}"},"password":"a\\ud800"}`;
      const response = await client.post('/users', { raw });
      expect(response.refusal).to.equal('400 invalid_body');
      expect(response.paths).to.deep.equal(['password']);
    }
  });
};

const mistakes = (harness: Harness): void => {
  const forgiving = { passwordHash: { algorithm: 'sha256', serverSideHash: true, allowCommonMistakes: true } };
  const password = 'correct Horse Battery 1';
  const tolerated = {
    'a character before it': `x${password}`,
    'a character after it': `${password}x`,
    'the first letter capitalized': 'Correct Horse Battery 1',
    'caps lock': 'CORRECT hORSE bATTERY 1',
  };
  const refused = {
    'two characters after it': `${password}xx`,
    'a character on either side': `x${password}x`,
    'a character inside': 'correct HXorse Battery 1',
    'a character missing': password.slice(1),
    'all letters capitalized': password.toUpperCase(),
  };

  describe('with allowCommonMistakes', () => {
    for (const [name, supplied] of Object.entries(tolerated)) {
      it(`accepts ${name}; without it, 401`, async () => {
        const { client } = await harness.service(forgiving);
        const { address } = await client.create({ password });
        await client.read({ address, password: supplied });
        const strict = await harness.service(algorithms.sha256.blocks);
        const account = await strict.client.create({ password });
        const response = await strict.client.get('/users', { query: { email: account.address }, password: supplied });
        expect(response.refusal).to.equal('401 wrong_password');
      });
    }

    for (const [name, supplied] of Object.entries(refused)) {
      it(`401 for ${name}`, async () => {
        const { client } = await harness.service(forgiving);
        const { address } = await client.create({ password });
        const response = await client.get('/users', { query: { email: address }, password: supplied });
        expect(response.refusal).to.equal('401 wrong_password');
      });
    }

    it('a password that differs by one character is a new password, not a typo', async () => {
      const { client } = await harness.service(forgiving);
      const account = await client.create();
      const password = `${account.password}!`;
      const { user } = await update(client, account, { password });
      expect(user.password).to.not.equal(account.user.password);
      await client.read({ ...account, password });
      expect((await update(client, { ...account, password: account.password.slice(1) })).status).to.equal(401);
    });

    it('checks the shorter candidates of a header that is too long for bcrypt itself', async () => {
      const { client } = await harness.service(hashed('bcrypt', { cost: 4, allowCommonMistakes: true }));
      const account = await client.create({ password: 'c'.repeat(72) });
      await client.read({ ...account, password: `${'c'.repeat(72)}x` });
    });
  });
};

const unchecked = (harness: Harness): void => {
  describe('with headerCheck: false', () => {
    const blocks = { passwordHash: { headerCheck: false } };
    for (const password of [undefined, '', 'a wrong password']) {
      it(`ignores ${password === undefined ? 'that the header is missing' : `the header "${password}"`}`, async () => {
        const { client } = await harness.service(blocks);
        const { address: email, user } = await client.create();
        const sent = { query: { email }, password };
        expect((await client.get('/users', sent)).user).to.deep.equal(user);
        expect((await client.put('/users', { password, body: { email: { address: email } } })).status).to.equal(200);
        for (const path of ['/verify', '/verify/reset']) expect((await client.post(path, sent)).status).to.equal(200);
        expect((await client.delete('/users', sent)).status).to.equal(200);
        expect((await client.get('/users', sent)).refusal).to.equal('404 user_not_found');
      });
    }
  });
};

/** Passwords that the `password` header cannot carry as they are, each with the start of the reason. */
const unsafe: Readonly<Record<string, string>> = {
  ' space before': 'must not start or end',
  'tab after\t': 'must not start or end',
  'line\nbreak': 'must not contain line breaks',
  'nul\0': 'must not contain line breaks',
  'delete\x7f': 'must not contain line breaks',
  [`${'a'.repeat(8_000)}${'é'.repeat(97)}`]: 'must have at most 8192 bytes',
};

const percentEncoded = (password: string): string =>
  Array.from(new TextEncoder().encode(password), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const extended = (email: string, value: string) => ({ query: { email }, headers: { 'password*': value } });

const headers = (harness: Harness): void => {
  describe('passwords that the header cannot carry', () => {
    for (const [password, reason] of Object.entries(unsafe)) {
      const title = JSON.stringify(password).slice(0, 20);

      it(`refuses ${title} in a new user and in an update`, async () => {
        const { client } = await harness.service();
        const account = await client.create();
        const body = { email: { address: newAddress() }, password };
        const refused = [await client.post('/users', { body }), await update(client, account, { password })];
        for (const response of refused) {
          expect(response.refusal).to.equal('400 unsuitable_password');
          expect(JSON.stringify(response.json)).to.include(reason);
          expect(response.paths).to.deep.equal(['password']);
        }
        await client.read(account);
      });

      it(`accepts ${title} with headerSafe: false, and checks it in a body and percent-encoded`, async () => {
        const { client } = await harness.service({ passwordHash: { headerSafe: false } });
        const { address } = await client.create({ password });
        const body = { email: { address }, password };
        expect((await client.post('/users/check', { body })).status).to.equal(204);
        if (password.length > 5_000) return;
        const read = await client.get('/users', extended(address, `UTF-8''${percentEncoded(password)}`));
        expect(read.user.email.address).to.equal(address);
      });
    }

    it('accepts the longest password that the header may carry', async () => {
      const { client } = await harness.service();
      await client.read(await client.create({ password: 'é'.repeat(4_096) }));
    });
  });

  describe('the header password*', () => {
    it('is the percent-encoded password of every request that needs one', async () => {
      const { client } = await harness.service();
      const { address } = await client.create({ password: 'pässwörd 1' });
      for (const value of ["UTF-8''p%C3%A4ssw%c3%b6rd%201", "utf-8'de'p%C3%A4ssw%C3%B6rd%201"]) {
        const sent = extended(address, value);
        expect((await client.get('/users', sent)).status).to.equal(200);
        expect((await client.put('/users', { ...sent, body: { email: { address } } })).status).to.equal(200);
      }
      const wrong = extended(address, "UTF-8''p%C3%A4ssword%201");
      expect((await client.delete('/users', wrong)).refusal).to.equal('401 wrong_password');
      expect((await client.delete('/users', extended(address, "UTF-8''p%C3%A4ssw%C3%B6rd%201"))).status).to.equal(200);
    });

    for (const value of ['secret', "ISO-8859-1''p%E4ss", "UTF-8''", "UTF-8''100%", "UTF-8''%ff", "UTF-8''a b"]) {
      it(`is 400 if it is ${value}`, async () => {
        const { client } = await harness.service();
        const { address } = await client.create();
        const response = await client.get('/users', extended(address, value));
        expect(response.refusal).to.equal('400 invalid_parameter');
        expect(response.paths).to.deep.equal(['header.password']);
      });
    }

    it('is 400 beside password', async () => {
      const { client } = await harness.service();
      const { address, password } = await client.create();
      const sent = { ...extended(address, `UTF-8''${percentEncoded(password)}`), password };
      expect((await client.get('/users', sent)).refusal).to.equal('400 invalid_parameter');
    });

    it('counts beside an empty password, which generated clients send', async () => {
      const { client } = await harness.service();
      const { address, password } = await client.create();
      const sent = { ...extended(address, `UTF-8''${percentEncoded(password)}`), password: '' };
      expect((await client.get('/users', sent)).status).to.equal(200);
    });
  });
};

/** Password checks and storage (docs/configuration.md, `passwordHash`). */
export const passwords = (harness: Harness): void => {
  describe('passwords', () => {
    serverSide(harness);
    clientSide(harness);
    longPasswords(harness);
    headers(harness);
    mistakes(harness);
    unchecked(harness);
  });
};
