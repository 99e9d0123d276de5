import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

const maxUserBytes = 350 * 1024;
const maxBodyBytes = 1024 * 1024;

const jsonTexts = (harness: Harness): void => {
  const user = (member: string): string =>
    `{"email":{"address":"${newAddress()}"},"password":"${newPassword()}"${member === '' ? '' : `,${member}`}}`;
  const nested = (levels: number): string => `"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`;

  describe('the syntax of a body', () => {
    const refused = {
      'no JSON': '{"email":',
      'a list': '[]',
      'a text': '"a"',
      null: 'null',
      nothing: ' ',
      'with a byte order mark': `\ufeff${user('')}`,
      'with a comment': user('"a":1/*b*/'),
      'with more behind it': `${user('')}{}`,
      'with a name twice': user('"a":1,"a":1'),
      'with a name twice, once escaped': user('"a":1,"\\u0061":2'),
      'with a fixed field twice': user('"password":"another password"'),
      'with a name twice inside': user('"a":[{"b":{"c":1,"c":2}}]'),
      'with __proto__': user('"__proto__":{"verified":true}'),
      'with __proto__ inside, escaped': user('"a":[{"\\u005f_proto__":1}]'),
      'with 2^53': user('"a":9007199254740992'),
      'with −2^53 inside': user('"a":{"b":[-9007199254740992]}'),
      'with a number that overflows': user('"a":1e309'),
      'with 33 levels': user(nested(33)),
      'with 200,000 levels': user(nested(200_000)),
      'with 200,000 brackets and nothing else': '['.repeat(200_000),
    };
    for (const [name, raw] of Object.entries(refused)) {
      it(`400: ${name}`, async () => {
        const { client } = await harness.service();
        expect((await client.post('/users', { raw })).refusal).to.equal('400 invalid_json');
        expect((await client.put('/users', { raw, password: 'any' })).refusal).to.equal('400 invalid_json');
      });
    }

    it('400: bytes that are not UTF-8', async () => {
      const { client } = await harness.service();
      const [before = '', after = ''] = user('"a":"|"').split('|');
      for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
        const raw = new Uint8Array([...Buffer.from(before), ...bytes, ...Buffer.from(after)]);
        expect((await client.post('/users', { raw })).refusal).to.equal('400 invalid_json');
      }
    });

    it('may have 32 levels, and the largest integers and numbers', async () => {
      const { client } = await harness.service();
      for (const member of [nested(32), '"a":[9007199254740991,-9007199254740991,1e308,5e-324]']) {
        const response = await client.post('/users', { raw: user(member) });
        expect(response.status).to.equal(201);
        expect(response.text).to.include(`,${member}}`);
      }
    });

    it('400: an empty body', async () => {
      const { client } = await harness.service();
      expect((await client.post('/users')).refusal).to.equal('400 invalid_body');
      expect((await client.put('/users', { password: 'any' })).refusal).to.equal('400 invalid_body');
    });

    it('never causes a 500, for any bytes', async () => {
      const { client } = await harness.service();
      const bytes = fc.oneof(
        fc.uint8Array({ maxLength: 80 }).map((array) => new Uint8Array(array)),
        fc.json().map((text) => new Uint8Array(Buffer.from(text))),
        fc
          .string({ unit: fc.constantFrom(...'{}[]":,\\ue-+.019 \n'), maxLength: 40 })
          .map((text) => new Uint8Array(Buffer.from(text))),
      );
      const property = fc.asyncProperty(bytes, fc.constantFrom('POST', 'PUT'), async (raw, method) => {
        const response = await client.send(method, '/users', { raw, password: 'any' });
        expect(response.status).to.equal(400);
      });
      await fc.assert(property, { numRuns: 200 });
    });
  });
};

/** How large a user may be, which a store has to keep. */
export const userSizes = (harness: Harness): void => {
  const sized = async (client: Client, bytes: number) => {
    const body = { email: { address: newAddress() }, password: newPassword(), filler: '' };
    const bare = await client.post('/users', { body });
    const address = newAddress().padEnd(body.email.address.length, 'm');
    const missing = bytes - Buffer.byteLength(bare.text) - (address.length - body.email.address.length);
    const filler = 'é'.repeat(Math.floor(missing / 2)) + 'x'.repeat(missing % 2);
    return { address, body: { ...body, email: { address }, filler } };
  };

  describe('the size of a user', () => {
    it('may be 350 KiB of compact JSON in UTF-8, without counting the white space of the body', async () => {
      const { client } = await harness.service();
      const { body } = await sized(client, maxUserBytes);
      const raw = JSON.stringify(body, null, 9);
      const padding = ' '.repeat(maxBodyBytes - Buffer.byteLength(raw));
      const response = await client.post('/users', { raw: raw + padding });
      expect(response.status).to.equal(201);
      expect(Buffer.byteLength(response.text)).to.equal(maxUserBytes);
      expect((await client.read({ address: body.email.address, password: body.password })).text).to.equal(
        response.text,
      );
    });

    it('400 for custom properties that exceed the size of any user, before the user and the password are checked', async () => {
      const { client } = await harness.service();
      const body = { email: { address: newAddress() }, filler: 'x'.repeat(maxUserBytes) };
      expect((await client.put('/users', { body, password: 'any' })).refusal).to.equal('400 user_too_large');
    });

    it('400 with a short document, however many errors there are', async () => {
      const { client } = await harness.service();
      const strangers = Object.fromEntries(
        Array.from({ length: 5_000 }, (_, index) => [`${index}${'-member'.repeat(20)}`, 1]),
      );
      const response = await client.post('/users', { body: { email: strangers, password: 'any' } });
      expect(response.refusal).to.equal('400 invalid_body');
      expect(response.text.length).to.be.lessThan(20_000);
    });

    it('400 for a byte more, on PUT too', async () => {
      const { client } = await harness.service();
      const { body } = await sized(client, maxUserBytes + 1);
      expect((await client.post('/users', { body })).refusal).to.equal('400 user_too_large');
      const { filler: _, ...smaller } = body;
      const created = await client.post('/users', { body: smaller });
      expect(created.status).to.equal(201);
      const updated = await client.put('/users', { body, password: body.password });
      expect(updated.refusal).to.equal('400 user_too_large');
      expect((await client.read({ address: body.email.address, password: body.password })).text).to.equal(created.text);
    });
  });
};

const wrong: Readonly<Record<string, readonly [object, readonly string[]]>> = {
  'email missing': [{ email: undefined }, ['email']],
  'email as a text': [{ email: 'jane@example.com' }, ['email']],
  'email null': [{ email: null }, ['email']],
  'email as a list': [{ email: [] }, ['email']],
  'address missing': [{ email: {} }, ['email.address']],
  'address empty': [{ email: { address: '' } }, ['email.address']],
  'address without @': [{ email: { address: 'jane' } }, ['email.address']],
  'address with two @': [{ email: { address: 'jane@a@example.com' } }, ['email.address']],
  'address with a space': [{ email: { address: 'jane doe@example.com' } }, ['email.address']],
  'address with a line break': [{ email: { address: 'jane@example.com\r\nBcc: x@example.com' } }, ['email.address']],
  'address with a special': [{ email: { address: 'jane<x>@example.com' } }, ['email.address']],
  'address of 255 octets': [
    { email: { address: `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(61)}` } },
    ['email.address'],
  ],
  'local part of 65 octets': [{ email: { address: `${'a'.repeat(65)}@example.com` } }, ['email.address']],
  'address no text': [{ email: { address: 1 } }, ['email.address']],
  'verified as a text': [{ email: { address: 'jane@example.com', verified: 'true' } }, ['email.verified']],
  'token as a number': [{ email: { address: 'jane@example.com', verificationToken: 1 } }, ['email.verificationToken']],
  'another member of email': [{ email: { address: 'jane@example.com', primary: true } }, ['email.primary']],
  'an inherited name in email': [{ email: { address: 'jane@example.com', constructor: 1 } }, ['email.constructor']],
  'password null': [{ password: null }, ['password']],
  'password empty': [{ password: '' }, ['password']],
  'password no text': [{ password: 1 }, ['password']],
  'several things at once': [
    { email: { address: 'jane', verified: 0, x: 1 }, password: [] },
    ['email.address', 'email.verified', 'password', 'email.x'],
  ],
};

const fields = (harness: Harness): void => {
  describe('the fields of a body', () => {
    for (const [name, [changes, paths]] of Object.entries(wrong)) {
      it(`400 with the path: ${name}`, async () => {
        const { client } = await harness.service();
        const body = { email: { address: newAddress() }, password: newPassword(), ...changes };
        for (const response of [
          await client.post('/users', { body }),
          await client.put('/users', { body, password: 'any' }),
        ]) {
          expect(response.refusal).to.equal('400 invalid_body');
          expect(response.paths).to.have.members(paths);
          expect(new Set(response.paths).size).to.equal(response.paths.length);
        }
      });
    }

    it('400: POST without a password', async () => {
      const { client } = await harness.service();
      const response = await client.post('/users', { body: { email: { address: newAddress() } } });
      expect(response.refusal).to.equal('400 invalid_body');
      expect(response.paths).to.deep.equal(['password']);
    });

    it('takes verified null as omitted', async () => {
      const { client } = await harness.service();
      const account = await client.create();
      await client.get('/verify', { query: { email: account.address, token: await client.token(account) } });
      const body = { email: { address: account.address, verified: null } };
      expect((await client.put('/users', { body, password: account.password })).user.email.verified).to.equal(true);
      const other = { email: { address: newAddress(), verified: null }, password: newPassword() };
      expect((await client.post('/users', { body: other })).user.email.verified).to.equal(false);
    });

    it('takes an address with a quoted local part, in which case does not count', async () => {
      const { client } = await harness.service();
      const address = `"${newAddress().replace(/@.*/, '')} \\" @ (x), y"@example.com`;
      const account = await client.create({ address });
      expect((await client.read({ ...account, address: address.toUpperCase() })).user.email.address).to.equal(address);
      expect(await client.token(account)).to.be.a('string');
    });

    it('takes an address of 254 octets', async () => {
      const { client } = await harness.service();
      const unique = newAddress().replace(/@.*/, '');
      const labels = [63, 63, 63].map((length) => 'b'.repeat(length)).join('.');
      const address = `${unique}@${labels}.`.padEnd(254, 'c');
      expect(address).to.have.length(254);
      expect((await client.read(await client.create({ address }))).user.email.address).to.equal(address);
    });
  });
};

/** What a request body may be. */
export const bodies = (harness: Harness): void => {
  jsonTexts(harness);
  fields(harness);
};
