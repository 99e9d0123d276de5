import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

/** Connections before and after a response. */
export const connections = (harness: Harness): void => {
  describe('connections', () => {
    it('stays open after an error: the next request is served', async () => {
      const { url } = await harness.service();
      const lines = ['POST /users HTTP/1.1', 'Host: localhost', 'Content-Type: text/plain', 'Content-Length: 5'];
      const unread = `${lines.join('\r\n')}\r\n\r\nGET /`;
      const next = requestText(['GET /verify/success HTTP/1.1', 'Host: localhost']);
      const responses = responsesIn(await exchange(url, unread.repeat(3) + next));
      expect(responses.map(({ status }) => status)).to.deep.equal([401, 401, 401, 200]);
    });

    it('reads 200 headers, and refuses a request with more instead of dropping some', async () => {
      const { url } = await harness.service();
      const statusWith = async (...headers: readonly string[]): Promise<number | undefined> => {
        const request = requestText(['GET /verify/success HTTP/1.1', ...headers]);
        const [response, ...others] = responsesIn(await exchange(url, request));
        expect(others).to.be.empty;
        return response?.status;
      };
      const many = (count: number) => Array.from({ length: count }, () => 'a:');
      // The last one is `Connection: close`.
      expect(await statusWith(...many(198), 'Host: localhost')).to.equal(200);
      expect(await statusWith('Host: localhost', ...many(197), 'Host: elsewhere')).to.equal(400);
      for (const count of [199, 1_100, 3_000])
        expect(await statusWith('Host: localhost', ...many(count))).to.equal(431);
    });

    /** The statuses that a client with `Expect: 100-continue` receives, including 100. */
    const cautiously = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
      new Promise<readonly number[]>((resolve, reject) => {
        const statuses: number[] = [];
        const length = Buffer.byteLength(body);
        const sent = {
          'Content-Type': 'application/json',
          'Content-Length': length,
          Expect: '100-continue',
          ...headers,
        };
        const request = httpRequest(`${url}/users`, { method: 'POST', agent: false, headers: sent }, (response) => {
          statuses.push(response.statusCode ?? 0);
          response.resume().on('end', () => {
            request.destroy();
            resolve(statuses);
          });
        });
        request.on('continue', () => {
          statuses.push(100);
          request.end(body);
        });
        request.on('error', reject);
        request.flushHeaders();
      });

    it('sends 100 to a client with Expect: 100-continue only if the body is needed', async () => {
      const { client, url } = await harness.service();
      const body = JSON.stringify({ email: { address: newAddress() }, password: newPassword() });
      const Authorization = client.credentials;
      expect(await cautiously(url, { Authorization }, body)).to.deep.equal([100, 201]);
      expect(await cautiously(url, {}, body)).to.deep.equal([401]);
      expect(await cautiously(url, { Authorization, 'Content-Type': 'text/plain' }, body)).to.deep.equal([415]);
    });

    it('closes the connection of a client that got no 100', async () => {
      const { url } = await harness.service();
      const lines = ['POST /users HTTP/1.1', 'Host: localhost', 'Content-Length: 5', 'Expect: 100-continue'];
      const [response] = responsesIn(await exchange(url, `${lines.join('\r\n')}\r\n\r\n`));
      expect(response?.refusal).to.equal('401 client_unauthorized');
      expect(response?.headers.get('connection')).to.equal('close');
    });

    it('serves a request with an unknown expectation', async () => {
      const { url } = await harness.service();
      const lines = ['GET /verify/success HTTP/1.1', 'Host: localhost', 'Expect: a-miracle'];
      expect(responsesIn(await exchange(url, requestText(lines)))[0]?.status).to.equal(200);
    });

    it('logs nothing about a client that disconnects while it sends its body', async () => {
      const { client, url, log } = await harness.service();
      const before = (await log()).length;
      const request = httpRequest(`${url}/users`, {
        method: 'POST',
        agent: false,
        headers: { Authorization: client.credentials, 'Content-Type': 'application/json', 'Content-Length': 100 },
      });
      const closed = new Promise((resolve) => request.on('close', resolve).on('error', () => {}));
      request.write('{', () => request.destroy());
      await closed;
      await client.get('/verify/success');
      const written = (await log()).slice(before).filter((line) => !line.includes("'/verify/success'"));
      expect(written.filter((line) => !/^request .*status: 400/.test(line))).to.deep.equal([]);
    });
  });
};
