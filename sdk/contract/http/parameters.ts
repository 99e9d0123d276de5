import { expect } from 'chai';
import * as fc from 'fast-check';
import { newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

/** The endpoints that read `email` and the `password` header, with their bodies; that of PUT may name the user. */
const checked = [
  ['PUT', '/users', (address: string) => ({ email: { address } })],
  ['PATCH', '/users', () => ({ name: 'Jane' })],
  ['GET', '/users', undefined],
  ['DELETE', '/users', undefined],
  ['POST', '/verify', undefined],
  ['POST', '/verify/reset', undefined],
] as const;

const malformedEmails = {
  'is empty': 'email=',
  'has no value': 'email',
  'is repeated': 'email=a@example.com&email=a@example.com',
  'has no @': 'email=jane.example.com',
  'has a plus sign that was not encoded': 'email=a+b@example.com',
  'holds a control character': 'email=a%0d%0ab@example.com',
  'is not UTF-8': 'email=%ff@example.com',
  'is a list in the style of PHP': 'email[]=a@example.com&email=',
};

const emails = (harness: Harness): void => {
  describe('the email parameter', () => {
    for (const [method, path, bodyOf] of checked) {
      for (const [name, query] of Object.entries({
        ...(method !== 'PUT' && { 'is missing': '' }),
        ...malformedEmails,
      })) {
        it(`400 when it ${name}: ${method} ${path}`, async () => {
          const { client } = await harness.service();
          const sent = { query, password: newPassword(), body: bodyOf?.(newAddress()) };
          const response = await client.send(method, path, sent);
          expect(response.refusal).to.equal('400 invalid_parameter');
          expect(response.paths).to.deep.equal(['query.email']);
        });
      }
    }
  });
};

const ofVerification = (harness: Harness): void => {
  const rows = {
    'email is missing': ['token=a', 'query.email'],
    'email is repeated': ['email=a@example.com&email=b@example.com&token=a', 'query.email'],
    'email is malformed': ['email=a&token=a', 'query.email'],
    'token is missing': ['email=a@example.com', 'query.token'],
    'token is empty': ['email=a@example.com&token=', 'query.token'],
    'token is repeated': ['email=a@example.com&token=a&token=a', 'query.token'],
    'response_type is unknown': ['email=a@example.com&token=a&response_type=xml', 'query.response_type'],
    'response_type is repeated': [
      'email=a@example.com&token=a&response_type=json&response_type=json',
      'query.response_type',
    ],
  } as const;
  describe('the parameters of GET /verify', () => {
    for (const [name, [query, path]] of Object.entries(rows)) {
      it(`400 when ${name}`, async () => {
        const { client } = await harness.service();
        const response = await client.get('/verify', { query });
        expect(response.refusal).to.equal('400 invalid_parameter');
        expect(response.paths).to.deep.equal([path]);
      });
    }
  });
};

const passwordHeader = (harness: Harness): void => {
  describe('the password header', () => {
    for (const [method, path, bodyOf] of checked) {
      const sent = (address: string) => ({
        ...(method !== 'PUT' && { query: { email: address } }),
        body: bodyOf?.(address),
      });

      it(`400 when it is missing or empty: ${method} ${path}`, async () => {
        const { client } = await harness.service();
        const { address } = await client.create();
        for (const password of [undefined, '']) {
          const response = await client.send(method, path, { ...sent(address), password });
          expect(response.refusal).to.equal('400 invalid_parameter');
          expect(response.paths).to.deep.equal(['header.password']);
        }
      });

      it(`400 when it is repeated: ${method} ${path}`, async () => {
        const { client, url } = await harness.service();
        const account = await client.create();
        const { body, query } = sent(account.address);
        const content = body === undefined ? '' : JSON.stringify(body);
        const lines = [
          `${method} ${path}${query === undefined ? '' : `?${new URLSearchParams(query)}`} HTTP/1.1`,
          ...['Host: localhost', `Authorization: ${client.credentials}`, 'Content-Type: application/json'],
          ...[`Content-Length: ${content.length}`, `password: ${account.password}`, `Password: ${account.password}`],
        ];
        const [response] = responsesIn(await exchange(url, requestText(lines, content)));
        expect(response?.refusal).to.equal('400 invalid_parameter');
        expect(response?.paths).to.deep.equal(['header.password']);
      });

      it(`401 with a challenge that opens no browser dialog when it is wrong: ${method} ${path}`, async () => {
        const { client } = await harness.service();
        const { address } = await client.create();
        const response = await client.send(method, path, { ...sent(address), password: newPassword() });
        expect(response.refusal).to.equal('401 wrong_password');
        expect(response.headers.get('www-authenticate')).to.equal('Password realm="user"');
      });
    }

    it('may hold commas, and is read as UTF-8', async () => {
      const { client } = await harness.service();
      const properties = { note: 'kept' };
      const account = await client.create({ password: `pässwörd, 漢字, 🔑 ${newPassword()}`, properties });
      expect((await client.read(account)).properties).to.deep.equal(properties);
    });

    it('400 when it is not UTF-8', async () => {
      const { client } = await harness.service();
      const { address } = await client.create();
      const response = await client.get('/users', { query: { email: address }, headers: { password: 'caf\xe9' } });
      expect(response.refusal).to.equal('400 invalid_parameter');
    });
  });
};

/** Bytes for header values and targets, including invalid ones. */
const bytes = fc
  .array(fc.integer({ min: 1, max: 0xff }), { maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes).replace(/[\r\n]/g, ' '));

const anything = (harness: Harness): void => {
  it('a header never causes a 500, for any bytes', async () => {
    const { client, url } = await harness.service();
    const { address } = await client.create();
    const names = fc.constantFrom(
      'password',
      'authorization',
      'content-encoding',
      'host',
      'x-forwarded-host',
      'expect',
    );
    const property = fc.asyncProperty(bytes, names, async (value, name) => {
      const lines = [
        `POST /verify?email=${address} HTTP/1.1`,
        ...[`Host: localhost`, `Authorization: ${client.credentials}`, 'password: any'].filter(
          (line) => !line.toLowerCase().startsWith(name),
        ),
        `${name}: ${value}`,
      ];
      const [response] = responsesIn(await exchange(url, requestText(lines)));
      expect(response?.status).to.be.within(400, 499);
      if (response !== undefined) client.checked(response, 'POST', '/verify');
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('a query never causes a 500, for any text', async () => {
    const { client, url } = await harness.service();
    const part = fc.oneof(
      fc.constantFrom('email', 'token', 'response_type', 'html', '=', '&', '%', '%ff', '%00', '+', '[]', '__proto__'),
      bytes.map((text) => text.replaceAll(' ', '+')),
    );
    const queries = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    const property = fc.asyncProperty(queries, async (query) => {
      const received = await exchange(url, requestText([`GET /verify?${query} HTTP/1.1`, 'Host: localhost']));
      const [response] = responsesIn(received);
      expect(response?.status).to.be.within(400, 499);
      if (response !== undefined) client.checked(response, 'GET', '/verify');
    });
    await fc.assert(property, { numRuns: 100 });
  });
};

/** Query parameters and headers. */
export const parameters = (harness: Harness): void => {
  emails(harness);
  ofVerification(harness);
  passwordHeader(harness);
  anything(harness);
};
