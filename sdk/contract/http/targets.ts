import { expect } from 'chai';
import { newAddress } from './client.ts';
import type { Harness } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

const paths = (harness: Harness): void => {
  const unknown = [
    '/user',
    '/Users',
    '//users',
    '/users/jane',
    '/users//',
    '/verify/other',
    '/swagger/assets/package.json',
    '/swagger/assets/..%2fpackage.json',
    '/%',
    '/swagger/assets/%ff',
    '/constructor',
    '/healthcheck',
  ];
  for (const path of unknown) {
    it(`404: ${path}`, async () => {
      const { url } = await harness.service();
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        if (method !== 'GET' && path.startsWith('/swagger')) continue;
        const [response] = responsesIn(
          await exchange(url, requestText([`${method} ${path} HTTP/1.1`, 'Host: localhost'])),
        );
        expect(response?.refusal).to.equal('404 route_not_found');
      }
    });
  }

  it('ignores a slash at the end, as clients of other implementations send it', async () => {
    const { client } = await harness.service();
    const { address, password } = await client.create();
    expect((await client.get('/users/', { query: { email: address }, password })).user.email.address).to.equal(address);
    expect((await client.put('/users/', { password, body: { email: { address } } })).status).to.equal(200);
    expect((await client.post('/verify/', { query: { email: address }, password })).status).to.equal(200);
    expect((await client.send('PROPFIND', '/users/')).refusal).to.equal('405 method_not_allowed');
  });

  it('reads the absolute form of a target, as proxies send it', async () => {
    const { client, url } = await harness.service();
    const target = 'http://accounts.example.com/verify/success?x=1';
    const [response] = responsesIn(await exchange(url, requestText([`GET ${target} HTTP/1.1`, 'Host: localhost'])));
    expect(response?.status).to.equal(200);
    const users = requestText([
      `GET HTTP://x/users?email=${newAddress()} HTTP/1.1`,
      ...['Host: x', 'password: any', `Authorization: ${client.credentials}`],
    ]);
    expect(responsesIn(await exchange(url, users))[0]?.refusal).to.equal('404 user_not_found');
  });

  it('answers OPTIONS *', async () => {
    const { url } = await harness.service();
    const [response] = responsesIn(await exchange(url, requestText(['OPTIONS * HTTP/1.1', 'Host: localhost'])));
    expect(response?.status).to.equal(204);
  });
};

const malformed = (harness: Harness): void => {
  const host = 'Host: localhost';
  const rows: Readonly<Record<string, readonly [readonly string[], string]>> = {
    'no HTTP': [['hello'], '400 malformed_request'],
    'the target http://[': [['GET http://[ HTTP/1.1', host], '400 malformed_request'],
    'a target of another scheme': [['GET ftp://localhost/users HTTP/1.1', host], '400 malformed_request'],
    'a target with a fragment': [['GET //a@[b# HTTP/1.1', host], '400 malformed_request'],
    'a target without a slash': [['GET users HTTP/1.1', host], '400 malformed_request'],
    'the target * with GET': [['GET * HTTP/1.1', host], '400 malformed_request'],
    CONNECT: [['CONNECT localhost:443 HTTP/1.1', host], '400 malformed_request'],
    'no Host': [['GET /verify/success HTTP/1.1'], '400 malformed_request'],
    'two Hosts': [['GET /verify/success HTTP/1.1', host, 'Host: elsewhere'], '400 malformed_request'],
    'two Authorizations': [['GET / HTTP/1.1', host, 'Authorization: a', 'authorization: b'], '400 malformed_request'],
    'two Content-Types': [['GET / HTTP/1.1', host, 'Content-Type: a', 'Content-Type: b'], '400 malformed_request'],
    'a header with a space in its name': [['GET / HTTP/1.1', host, 'a b: c'], '400 malformed_request'],
    'a header with NUL': [['GET / HTTP/1.1', host, 'a: \0'], '400 malformed_request'],
    'a Content-Length that is no number': [
      ['POST /users HTTP/1.1', host, 'Content-Length: x'],
      '400 malformed_request',
    ],
    'two ways to tell the length': [
      ['POST /users HTTP/1.1', host, 'Content-Length: 1', 'Transfer-Encoding: chunked'],
      '400 malformed_request',
    ],
    'a transfer coding that is not known': [
      ['POST /users HTTP/1.1', host, 'Transfer-Encoding: gzip, chunked'],
      '501 unsupported_transfer_coding',
    ],
    'headers of 20 KiB': [['GET / HTTP/1.1', host, `a: ${'b'.repeat(20_000)}`], '431 headers_too_large'],
  };
  for (const [name, [lines, refusal]] of Object.entries(rows)) {
    it(`${refusal}: ${name}`, async () => {
      const { client, url } = await harness.service();
      const [response, ...others] = responsesIn(await exchange(url, requestText(lines)));
      if (response === undefined) throw new Error('no response');
      expect(client.checked(response, 'GET', '/').refusal).to.equal(refusal);
      expect(others).to.be.empty;
    });
  }

  it('HTTP/1.0 requests need no Host', async () => {
    const { url } = await harness.service();
    const [response] = responsesIn(await exchange(url, requestText(['GET /verify/success HTTP/1.0'])));
    expect(response?.status).to.equal(200);
  });
};

/** Unknown paths, and malformed HTTP requests. */
export const targets = (harness: Harness): void => {
  describe('paths', () => paths(harness));
  describe('malformed requests', () => malformed(harness));
};
