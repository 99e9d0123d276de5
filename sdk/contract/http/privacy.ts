import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { newAddress, newPassword, type Sent } from './client.ts';
import type { Harness, TestService } from './harness.ts';
import { exchange, requestText } from './socket.ts';

const hidden = { privacy: { hideUnknownUsers: true } };

/** The bytes of a response without its date. The request id is fixed. */
const bytesOf = async ({ client, url }: TestService, method: string, path: string, { password, body }: Sent = {}) => {
  const content = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${client.credentials}`,
    'X-Request-Id: the-one-of-this-test',
    ...(password === undefined ? [] : [`password: ${password}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  return (await exchange(url, requestText(lines, content))).replace(/^Date: .*$/m, 'Date:');
};

const calls = [
  ['GET', '/users'],
  ['PUT', '/users'],
  ['PATCH', '/users'],
  ['DELETE', '/users'],
  ['POST', '/verify'],
  ['POST', '/verify/reset'],
  ['POST', '/users/check'],
] as const;

const unknownUsers = (harness: Harness): void => {
  describe('with privacy.hideUnknownUsers', () => {
    for (const [method, path] of calls) {
      it(`an unknown address and a wrong password are the same 401: ${method} ${path}`, async () => {
        const service = await harness.service(hidden);
        const known = await service.client.create();
        const [unknown, password] = [newAddress(), newPassword()];
        const answerFor = (address: string) => {
          const bodies: Readonly<Record<string, object>> = {
            'PUT /users': { email: { address }, name: 'Jane' },
            'PATCH /users': { name: 'Jane' },
            'POST /users/check': { email: { address }, password },
          };
          const body = bodies[`${method} ${path}`];
          return bytesOf(service, method, `${path}?email=${address}`, { password, body });
        };
        const response = await answerFor(known.address);
        expect(response)
          .to.match(/^HTTP\/1\.1 401 /)
          .and.include('"code":"wrong_password"');
        expect(await answerFor(unknown)).to.equal(response);
        expect((await service.client.read(known)).user).to.deep.equal(known.user);
      });
    }

    it('an unknown address and a token that does not match are the same 400, in JSON and as a page', async () => {
      const service = await harness.service(hidden);
      const [waiting, fresh] = [await service.client.create(), await service.client.create()];
      await service.client.token(waiting);
      const token = randomUUID();
      for (const type of ['json', 'html']) {
        const answerFor = (address: string) =>
          bytesOf(service, 'GET', `/verify?email=${address}&token=${token}&response_type=${type}`);
        const response = await answerFor(waiting.address);
        expect(response).to.match(/^HTTP\/1\.1 400 /);
        for (const address of [newAddress(), fresh.address]) expect(await answerFor(address)).to.equal(response);
      }
    });

    it('the confirmation page and its button do not reveal an unknown address', async () => {
      const directory = `${await harness.file('hidden', '')}-mails`;
      const email = { type: 'outbox', directory, fromAddress: 'sender@example.com', confirmPage: true };
      const service = await harness.service({ ...hidden, email });
      const known = await service.client.create();
      await service.client.token(known);
      for (const [method, path] of [
        ['GET', '/verify'],
        ['POST', '/verify/confirm'],
      ] as const) {
        const query = `token=${randomUUID()}&response_type=html`;
        const response = await bytesOf(service, method, `${path}?email=${known.address}&${query}`);
        expect(response).to.match(/^HTTP\/1\.1 400 /);
        expect(await bytesOf(service, method, `${path}?email=${newAddress()}&${query}`)).to.equal(response);
      }
    });

    it('the correct password and the link of the mail still work', async () => {
      const { client } = await harness.service(hidden);
      const account = await client.create();
      const query = { email: account.address, token: await client.token(account) };
      expect((await client.get('/verify', { query })).user.email.verified).to.equal(true);
      const { password } = account;
      expect((await client.delete('/users', { query: { email: account.address }, password })).status).to.equal(200);
      const gone = await client.get('/users', { query: { email: account.address }, password });
      expect(gone.refusal).to.equal('401 wrong_password');
    });

    it('without the header check, only a check of a password hides them, because the caller may read every user', async () => {
      const { client } = await harness.service({ ...hidden, passwordHash: { headerCheck: false } });
      const known = await client.create();
      const check = async (address: string) =>
        (await client.post('/users/check', { body: { email: { address }, password: newPassword() } })).refusal;
      expect(await check(known.address)).to.equal('401 wrong_password');
      expect(await check(newAddress())).to.equal('401 wrong_password');
      expect((await client.get('/users', { query: { email: known.address } })).status).to.equal(200);
      expect((await client.get('/users', { query: { email: newAddress() } })).refusal).to.equal('404 user_not_found');
    });
  });
};

/** The property names of a returned user. */
const membersOf = (json: unknown): readonly string[] => Object.keys(Object(json));
const shown = ['email', 'creationTime', 'lastUpdateTime', 'plan'];

const passwordsInAnswers = (harness: Harness): void => {
  describe('with privacy.hidePasswords', () => {
    const blocks = { privacy: { hidePasswords: true }, passwordHash: { algorithm: 'sha256', serverSideHash: true } };

    it('no response contains the password, and everything else is present', async () => {
      const { client } = await harness.service(blocks);
      const [address, password] = [newAddress(), newPassword()];
      const query = { email: address };
      const body = { email: { address }, plan: 'free' };
      const created = await client.post('/users', { body: { ...body, password } });
      const read = await client.get('/users', { query, password });
      const updated = await client.put('/users', { password, body });
      const sent = await client.post('/verify', { query, password });
      const email = sent.json instanceof Object && 'email' in sent.json ? Object(sent.json.email) : {};
      const verified = await client.get('/verify', { query: { ...query, token: email.verificationToken } });
      const reset = await client.post('/verify/reset', { query, password });
      const removed = await client.delete('/users', { query, password });
      for (const response of [created, read, updated, sent, verified, reset, removed]) {
        expect(response.status).to.be.oneOf([200, 201]);
        expect(membersOf(response.json), response.text).to.deep.equal(shown);
      }
      expect(removed.text).to.equal(reset.text);
    });

    it('an update that sends back what was read keeps the password', async () => {
      const { client } = await harness.service(blocks);
      const [address, password] = [newAddress(), newPassword()];
      await client.post('/users', { body: { email: { address }, password, plan: 'free' } });
      const query = { email: address };
      const read = await client.get('/users', { query, password });
      expect((await client.put('/users', { password, body: read.json })).status).to.equal(200);
      expect((await client.get('/users', { query, password })).status).to.equal(200);
    });

    it('the size of a user still includes its password', async () => {
      const { client } = await harness.service({
        privacy: { hidePasswords: true },
        passwordHash: { headerSafe: false },
      });
      const post = (password: string) =>
        client.post('/users', { body: { email: { address: newAddress() }, password } });
      expect((await post('p'.repeat(349 * 1024))).status).to.equal(201);
      expect((await post('p'.repeat(351 * 1024))).refusal).to.equal('400 user_too_large');
    });

    it('the OpenAPI document describes users without one', async () => {
      const { client } = await harness.service(blocks);
      const { json } = await client.get('/openapi.json');
      const document = Object(json);
      const { required, properties } = document.components.schemas.User;
      expect(required).to.deep.equal(['email', 'creationTime', 'lastUpdateTime']);
      expect(properties).to.not.have.property('password');
      const { example } = document.paths['/users'].get.responses['200'].content['application/json'];
      expect(example).to.include.keys('email', 'creationTime').and.not.have.property('password');
    });
  });
};

/** The block `privacy`. */
export const privacy = (harness: Harness): void => {
  describe('privacy', () => {
    unknownUsers(harness);
    passwordsInAnswers(harness);
  });
};
