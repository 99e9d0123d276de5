import { expect } from 'chai';
import { newAddress } from './client.ts';
import type { Harness } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

const methodsOf = {
  '/users': ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  '/users/check': ['POST'],
  '/verify': ['GET', 'HEAD', 'POST'],
  '/verify/reset': ['POST'],
  '/verify/success': ['GET', 'HEAD'],
  '/openapi.json': ['GET', 'HEAD'],
  '/openapi.yaml': ['GET', 'HEAD'],
  '/swagger': ['GET', 'HEAD'],
  '/': ['GET', 'HEAD'],
} as const;

/** Without it nothing is at `/`. */
const redirectRoot = { openApi: { redirectRoot: true } };

const listOf = (allow: string | null): readonly string[] => (allow ?? '').split(', ').sort();

/** The methods of each path, including HEAD and OPTIONS. */
export const methods = (harness: Harness): void => {
  describe('methods', () => {
    for (const [path, allowed] of Object.entries(methodsOf)) {
      const allow = [...allowed, 'OPTIONS'].sort();
      const options = path === '/' ? redirectRoot : {};

      it(`OPTIONS ${path} is 204 with Allow, without credentials`, async () => {
        const { client } = await harness.service(options);
        const response = await client.send('OPTIONS', path, { authorization: null });
        expect(response.status).to.equal(204);
        expect(listOf(response.headers.get('allow'))).to.deep.equal(allow);
        expect(response.text).to.equal('');
      });

      it(`405 with Allow for every other method of ${path}, including unknown methods`, async () => {
        const { url } = await harness.service(options);
        for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY'].filter(
          (method) => !allow.includes(method),
        )) {
          const received = await exchange(url, requestText([`${method} ${path} HTTP/1.1`, 'Host: localhost']));
          const [response] = responsesIn(received);
          expect(response?.refusal, method).to.equal('405 method_not_allowed');
          expect(listOf(response?.headers.get('allow') ?? null)).to.deep.equal(allow);
        }
      });
    }

    it('HEAD responds like GET without the body: the user', async () => {
      const { client } = await harness.service();
      const { address, password } = await client.create();
      const sent = { query: { email: address }, password };
      const [get, head] = [await client.get('/users', sent), await client.send('HEAD', '/users', sent)];
      expect(head.status).to.equal(200);
      for (const name of ['content-type', 'content-length', 'cache-control']) {
        expect(head.headers.get(name)).to.equal(get.headers.get(name)).and.not.equal(null);
      }
    });

    it('HEAD responds like GET without the body: pages, documents and errors', async () => {
      const { client } = await harness.service(redirectRoot);
      const html = `/verify?email=${newAddress()}&token=a&response_type=html`;
      const paths = ['/verify/success', '/openapi.json', '/openapi.yaml', '/swagger', '/', '/users', '/nothing', html];
      const compared = ['content-type', 'location', 'www-authenticate', 'cache-control'];
      for (const path of paths) {
        for (const authorization of [client.credentials, null]) {
          const get = await client.get(path, { authorization });
          const head = await client.send('HEAD', path, { authorization });
          expect(head.status, path).to.equal(get.status);
          expect(head.headers.get('content-length') ?? '0', path).to.equal(get.headers.get('content-length'));
          for (const name of compared) {
            expect(head.headers.get(name), `${name} of ${path}`).to.equal(get.headers.get(name));
          }
        }
      }
    });

    it('HEAD verifies like GET', async () => {
      const { client } = await harness.service();
      const account = await client.create();
      const query = { email: account.address, token: await client.token(account) };
      expect((await client.send('HEAD', '/verify', { query })).status).to.equal(200);
      expect((await client.read(account)).user.email.verified).to.equal(true);
    });
  });
};
