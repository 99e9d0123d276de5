import { createServer, type RequestListener, type Server } from 'node:http';
import { expect } from 'chai';
import { type ClientOptions, createClient, UnexpectedResponse } from '../../../../sdk/client/index.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

const jane = { email: 'jane@example.com', password: 'correct horse' };
const user = {
  email: { address: jane.email, verified: false, verificationToken: null },
  password: 'stored',
  creationTime: 1,
  lastUpdateTime: 1,
};

describe('the client without a response of the service', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Starts a server with a request handler. Resolves with its URL. */
  const serving = (listener: RequestListener): Promise<string> =>
    new Promise((resolve) => {
      const server = createServer(listener);
      servers.push(server);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '');
      });
    });

  it('rejects if the connection is refused', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1' });
    expect(await rejection(client.getUser(jane))).to.be.instanceOf(TypeError);
  });

  it('rejects after the timeout of the client, or of the call', async () => {
    const url = await serving(() => {});
    const slow = createClient({ url, timeout: 30 });
    expect(await rejection(slow.getUser(jane))).to.have.property('name', 'TimeoutError');
    const client = createClient({ url });
    expect(await rejection(client.getUser(jane, { timeout: 30 }))).to.have.property('name', 'TimeoutError');
  });

  it('rejects when the timeout ends during the response, too', async () => {
    const url = await serving((_, response) => response.writeHead(200).write('{"email":'));
    const client = createClient({ url, timeout: 200 });
    expect(await rejection(client.getUser(jane))).to.have.property('name', 'TimeoutError');
  });

  it('aborts a call with its signal, and sends none with an aborted signal', async () => {
    let calls = 0;
    const reason = new Error('the caller aborted');
    const leaving = new AbortController();
    const url = await serving(() => {
      calls += 1;
      leaving.abort(reason);
    });
    const client = createClient({ url });
    expect(await rejection(client.getUser(jane, { signal: leaving.signal }))).to.equal(reason);
    expect(await rejection(client.getUser(jane, { signal: leaving.signal }))).to.equal(reason);
    expect(calls).to.equal(1);
  });

  const foreign: Readonly<Record<string, { readonly status: number; readonly body: string }>> = {
    'the page of a proxy': { status: 502, body: '<h1>Bad Gateway</h1>' },
    'JSON of another service': { status: 404, body: '{"message":"no such host"}' },
    'a page with status 200': { status: 200, body: '<h1>Sign in</h1>' },
    'a part of a user': { status: 200, body: '{"email":{"address":"jane@example.com"},"password":"secret"' },
    nothing: { status: 204, body: '' },
  };
  for (const [what, { status, body }] of Object.entries(foreign)) {
    it(`rejects ${what} as an unexpected response, without its content`, async () => {
      const url = await serving((_, response) => response.writeHead(status).end(body));
      const error = await rejection(createClient({ url }).getUser(jane));
      expect(error).to.be.instanceOf(UnexpectedResponse).with.property('status', status);
      expect(String(error)).not.to.match(/secret|<h1>|no such host/);
    });
  }

  it('follows no redirect, which would forward the password', async () => {
    const asked: (string | undefined)[] = [];
    const other = await serving((request, response) => {
      asked.push(request.url);
      response.end(JSON.stringify(user));
    });
    const url = await serving((_, response) => response.writeHead(307, { Location: other }).end());
    expect(await rejection(createClient({ url }).getUser(jane))).to.be.instanceOf(TypeError);
    expect(asked).to.deep.equal([]);
  });
});

describe('the url of the client', () => {
  /** The requests that a client sends in one call. */
  const requested = async (options: ClientOptions): Promise<readonly Request[]> => {
    const requests: Request[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      requests.push(request);
      return Response.json(user, { headers: { ETag: '"1"' } });
    };
    expect(await createClient({ ...options, fetch }).getUser(jane)).to.deep.equal({ ok: true, user, etag: '"1"' });
    return requests;
  };

  it('may have a path, with or without a slash at the end', async () => {
    for (const url of [
      'https://example.com/accounts',
      'https://example.com/accounts/',
      new URL('https://example.com/accounts'),
    ]) {
      const [request] = await requested({ url });
      expect(request?.url).to.equal('https://example.com/accounts/users?email=jane%40example.com');
    }
  });

  it('must be an HTTP URL without credentials, and no error contains it', () => {
    for (const url of [
      'http://jane:secret@example.com',
      'secret.example.com:80',
      'ftp://secret.example.com',
      '//secret',
    ]) {
      expect(() => createClient({ url }))
        .to.throw(TypeError)
        .with.property('message')
        .that.does.not.include('secret');
    }
  });
});
