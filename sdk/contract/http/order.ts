import { expect } from 'chai';
import { newAddress, newPassword, type Sent } from './client.ts';
import type { Harness } from './harness.ts';

/** Which of several errors of a request is reported. */
export const order = (harness: Harness): void => {
  const wrongType = { headers: { 'Content-Type': 'text/plain' }, raw: '{' };
  const unknownUser = { email: { address: newAddress() } };
  const rows: readonly [string, string, string, Sent, string][] = [
    ['the path before the client', 'POST', '/nothing', { authorization: null }, '404 route_not_found'],
    ['the method before the client', 'PROPFIND', '/users', { authorization: null }, '405 method_not_allowed'],
    [
      'the client before the media type',
      'POST',
      '/users',
      { authorization: null, ...wrongType },
      '401 client_unauthorized',
    ],
    ['the client before the body', 'PUT', '/users', { authorization: null, raw: '{' }, '401 client_unauthorized'],
    ['the client before the parameters', 'GET', '/users', { authorization: null }, '401 client_unauthorized'],
    [
      'the client before the user',
      'GET',
      '/users',
      { authorization: null, query: { email: newAddress() }, password: 'a' },
      '401 client_unauthorized',
    ],
    [
      'the media type before a missing body',
      'POST',
      '/users',
      { headers: { 'Content-Type': 'text/plain' } },
      '415 unsupported_media_type',
    ],
    ['the media type before the body', 'PUT', '/users', wrongType, '415 unsupported_media_type'],
    ['the media type before the body', 'PATCH', '/users', wrongType, '415 unsupported_media_type'],
    ['the body before the email of the query', 'PATCH', '/users', { body: [] }, '400 invalid_json'],
    ['the email before the password header', 'PATCH', '/users', { body: {} }, '400 invalid_parameter'],
    ['the body before the email of the query', 'PUT', '/users', { query: 'email=', body: {} }, '400 invalid_body'],
    ['the body before the password header', 'PUT', '/users', { body: {} }, '400 invalid_body'],
    ['the password header before the user', 'PUT', '/users', { body: unknownUser }, '400 invalid_parameter'],
    [
      'the password header before the user',
      'GET',
      '/users',
      { query: { email: newAddress() } },
      '400 invalid_parameter',
    ],
    [
      'the user before the password',
      'PUT',
      '/users',
      { body: unknownUser, password: newPassword() },
      '404 user_not_found',
    ],
    [
      'the user before the token',
      'GET',
      '/verify',
      { query: { email: newAddress(), token: 'a' } },
      '404 user_not_found',
    ],
  ];
  describe('the order of checks', () => {
    for (const [name, method, path, sent, refusal] of rows) {
      it(`${name}: ${method} ${path} is ${refusal}`, async () => {
        const { client } = await harness.service();
        expect((await client.send(method, path, sent)).refusal).to.equal(refusal);
      });
    }

    it('email before the password header', async () => {
      const { client } = await harness.service();
      for (const [method, path] of [
        ['GET', '/users'],
        ['DELETE', '/users'],
        ['POST', '/verify'],
        ['POST', '/verify/reset'],
      ] as const) {
        expect((await client.send(method, path)).paths).to.deep.equal(['query.email']);
      }
      expect((await client.put('/users', { query: 'email=', body: unknownUser })).paths).to.deep.equal(['query.email']);
    });

    it('email before token, and token before response_type', async () => {
      const { client } = await harness.service();
      expect((await client.get('/verify', { query: 'response_type=x' })).paths).to.deep.equal(['query.email']);
      const query = 'email=a@example.com&response_type=x';
      expect((await client.get('/verify', { query })).paths).to.deep.equal(['query.token']);
    });

    it('the password before errors of the change', async () => {
      const { client } = await harness.service();
      const [one, other] = [await client.create(), await client.create()];
      const body = { email: { address: other.address } };
      const response = await client.put('/users', { query: { email: one.address }, password: newPassword(), body });
      expect(response.refusal).to.equal('401 wrong_password');
    });
  });
};
