import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { describedService, expectDeclared, send, withDescribedService } from './described-service.ts';

const jane = { email: { address: 'jane@example.com' }, password: 'correct horse battery staple' };
const at = '?email=jane@example.com';

const tokenOf = async (response: Response): Promise<string> =>
  JSON.parse(await response.text()).email.verificationToken;

describe('the responses of the service', () => {
  const service = withDescribedService();
  let token = '';

  const deleteUsers = async () => {
    for (const address of ['jane@example.com', 'jane.doe@example.com', 'joe@example.com']) {
      for (const password of [jane.password, 'a better horse']) {
        await send(service().url, 'DELETE', `/users?email=${address}`, { headers: { password } });
      }
    }
  };

  beforeEach(async () => {
    const { url } = service();
    await deleteUsers();
    await send(url, 'POST', '/users', { body: jane });
    await send(url, 'POST', '/users', { body: { ...jane, email: { address: 'joe@example.com' } } });
    token = await tokenOf(await send(url, 'POST', `/verify${at}`));
  });

  const anonymous = { headers: { Authorization: '' } };
  const wrongPassword = { headers: { password: 'wrong' } };
  const unknown = '?email=nobody@example.com';
  const requests: readonly (readonly [number, string, string | (() => string), Parameters<typeof send>[3]?])[] = [
    [201, 'POST', '/users', { body: { ...jane, email: { address: 'jane.doe@example.com' }, name: 'Jane', n: null } }],
    [400, 'POST', '/users', { body: {} }],
    [400, 'POST', '/users', { body: '{"a":1,"a":2}' }],
    [400, 'POST', '/users', { body: { ...jane, big: 'x'.repeat(360_000) } }],
    [401, 'POST', '/users', { body: jane, ...anonymous }],
    [409, 'POST', '/users', { body: jane }],
    [413, 'POST', '/users', { body: ' '.repeat(1_048_577) }],
    [415, 'POST', '/users', { body: jane, headers: { 'Content-Type': 'text/plain' } }],
    [415, 'POST', '/users', { body: jane, headers: { 'Content-Encoding': 'zstd' } }],
    [400, 'POST', '/users', { body: jane, headers: { 'Content-Encoding': 'gzip' } }],
    [200, 'PUT', '/users', { body: { ...jane, name: 'Jane' } }],
    [400, 'PUT', '/users?email=', { body: jane }],
    [400, 'PUT', '/users', { body: [] }],
    [401, 'PUT', '/users', { body: jane, ...wrongPassword }],
    [404, 'PUT', `/users${unknown}`, { body: jane }],
    [409, 'PUT', `/users${at}`, { body: { ...jane, email: { address: 'joe@example.com' } } }],
    [415, 'PUT', '/users', { body: jane, headers: { 'Content-Type': 'text/plain' } }],
    [200, 'PATCH', `/users${at}`, { body: { name: 'Jane' } }],
    [400, 'PATCH', '/users', { body: { name: 'Jane' } }],
    [400, 'PATCH', `/users${at}`, { body: { email: null } }],
    [400, 'PATCH', `/users${at}`, { body: { big: 'x'.repeat(360_000) } }],
    [401, 'PATCH', `/users${at}`, { body: {}, ...wrongPassword }],
    [404, 'PATCH', `/users${unknown}`, { body: {} }],
    [409, 'PATCH', `/users${at}`, { body: { email: { address: 'joe@example.com' } } }],
    [415, 'PATCH', `/users${at}`, { body: {}, headers: { 'Content-Type': 'application/json-patch+json' } }],
    [200, 'GET', `/users${at}`],
    [400, 'GET', '/users'],
    [401, 'GET', `/users${at}`, wrongPassword],
    [401, 'GET', `/users${at}`, anonymous],
    [404, 'GET', `/users${unknown}`],
    [200, 'DELETE', `/users${at}`],
    [400, 'DELETE', '/users?email=x'],
    [401, 'DELETE', `/users${at}`, wrongPassword],
    [404, 'DELETE', `/users${unknown}`],
    [204, 'POST', '/users/check', { body: jane }],
    [400, 'POST', '/users/check', { body: { ...jane, name: 'Jane' } }],
    [401, 'POST', '/users/check', { body: { ...jane, password: 'wrong' } }],
    [404, 'POST', '/users/check', { body: { ...jane, email: { address: 'nobody@example.com' } } }],
    [415, 'POST', '/users/check', { body: jane, headers: { 'Content-Type': 'text/plain' } }],
    [200, 'POST', `/verify${at}`],
    [400, 'POST', '/verify'],
    [401, 'POST', `/verify${at}`, wrongPassword],
    [404, 'POST', `/verify${unknown}`],
    [200, 'GET', () => `/verify${at}&token=${token}`],
    [303, 'GET', () => `/verify${at}&token=${token}&response_type=html`],
    [400, 'GET', `/verify${at}&token=other`],
    [400, 'GET', `/verify${at}&token=other&response_type=html`],
    [404, 'GET', `/verify${unknown}&token=other`],
    [404, 'GET', `/verify${unknown}&token=other&response_type=html`],
    [200, 'POST', `/verify/reset${at}`],
    [400, 'POST', '/verify/reset'],
    [401, 'POST', `/verify/reset${at}`, wrongPassword],
    [404, 'POST', `/verify/reset${unknown}`],
    [200, 'GET', '/verify/success'],
  ];

  for (const [status, method, target, content] of requests) {
    const name = typeof target === 'string' ? target : '/verify with the token';
    it(`declares the ${status} of ${method} ${name}`, async () => {
      const path = typeof target === 'string' ? target : target();
      const response = await send(service().url, method, path, content);
      expect(response.status).to.equal(status);
      await expectDeclared(service(), method, path, response);
    });
  }

  it('accepts the examples of the document', async () => {
    const { url, document } = service();
    const examples = (method: string) =>
      Object.values(document.paths['/users']?.[method]?.requestBody?.content['application/json']?.examples ?? {});
    for (const method of ['post', 'put', 'patch']) expect(examples(method), method).to.not.deep.equal([]);
    for (const { value } of examples('post')) {
      await send(url, 'DELETE', `/users${at}`);
      expect((await send(url, 'POST', '/users', { body: value })).status).to.equal(201);
    }
    for (const method of ['put', 'patch'])
      for (const { value } of examples(method)) {
        await deleteUsers();
        await send(url, 'POST', '/users', { body: jane });
        expect((await send(url, method.toUpperCase(), `/users${at}`, { body: value })).status).to.equal(200);
      }
  });
});

describe('the responses with expiring links, a confirmation page and a resend interval', () => {
  const email = { type: 'outbox', directory: './mails', fromAddress: 'no-reply@example.com' };
  const service = withDescribedService({ email: { ...email, tokenLifetime: '1ms', resendInterval: '1ms' } });
  const withInterval = withDescribedService({ email: { ...email, resendInterval: '1h' } });

  it('declares the 400 of an expired token', async () => {
    const { url } = service();
    await send(url, 'POST', '/users', { body: jane });
    const token = await tokenOf(await send(url, 'POST', `/verify${at}`));
    const target = `/verify${at}&token=${token}`;
    await sleep(5);
    const response = await send(url, 'GET', target);
    expect(response.status).to.equal(400);
    await expectDeclared(service(), 'GET', target, response);
  });

  it('declares the 429 of a mail that is sent too soon', async () => {
    const { url } = withInterval();
    await send(url, 'POST', '/users', { body: jane });
    await send(url, 'POST', `/verify${at}`);
    const response = await send(url, 'POST', `/verify${at}`);
    expect(response.status).to.equal(429);
    await expectDeclared(withInterval(), 'POST', `/verify${at}`, response);
  });

  it('declares the confirmation page, and leaves out the form that its button sends', async () => {
    const opening = await describedService({ email: { ...email, confirmPage: true } });
    try {
      const { url } = opening;
      await send(url, 'POST', '/users', { body: jane });
      const query = `${at}&token=${await tokenOf(await send(url, 'POST', `/verify${at}`))}`;
      for (const [status, method, target] of [
        [200, 'GET', `/verify${query}&response_type=html`],
        [303, 'POST', `/verify/confirm${query}`],
        [303, 'GET', `/verify${query}&response_type=html`],
        [200, 'GET', `/verify${query}`],
        [400, 'POST', `/verify/confirm${query}x`],
        [400, 'POST', '/verify/confirm'],
        [404, 'POST', '/verify/confirm?email=nobody@example.com&token=x'],
      ] as const) {
        const response = await send(url, method, target);
        expect(response.status, `${method} ${target}`).to.equal(status);
        if (method === 'GET') await expectDeclared(opening, method, target, response);
      }
      expect(opening.document.paths).to.not.have.property('/verify/confirm');
    } finally {
      await opening.installation.dispose();
    }
  });
});

describe('the responses of the service without its database', () => {
  it('are declared on every route that needs the database', async () => {
    // The file exists but is no database.
    const service = await describedService({
      database: { type: 'sqlite', path: 'latchkey.yaml' },
      email: { type: 'outbox', directory: 'mails', fromAddress: 'no-reply@example.com', confirmChange: true },
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://users.example.com' },
      recovery: {},
      passwordHash: { serverSideHash: true },
    });
    try {
      for (const [method, target, body] of [
        ['POST', '/users', jane],
        ['PUT', '/users', jane],
        ['PATCH', `/users${at}`, { name: 'Jane' }],
        ['GET', `/users${at}`],
        ['DELETE', `/users${at}`],
        ['POST', `/verify${at}`],
        ['GET', `/verify${at}&token=x`],
        ['GET', `/verify${at}&token=x&response_type=html`],
        ['POST', `/verify/reset${at}`],
        ['POST', `/recovery${at}`],
        ['POST', '/recovery/confirm', { ...jane, token: 'x' }],
        ['GET', `/change${at}&token=x`],
        ['POST', `/change/confirm${at}&token=x`],
        ['POST', `/change/cancel${at}&token=x`],
      ] as const) {
        const response = await send(service.url, method, target, { body });
        expect(response.status, `${method} ${target}`).to.equal(503);
        await expectDeclared(service, method, target, response);
      }
    } finally {
      await service.installation.dispose();
    }
  });
});
