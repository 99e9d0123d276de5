import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { certificateFor, startMailServer } from '../support/mail-server.ts';
import { createUser, eachWithInstallation, readUser, type Serving } from './installation.ts';

describe('a reload of latchkey serve', function () {
  this.timeout(40_000);
  const installation = eachWithInstallation();
  const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'http://localhost' };
  let secrets = 0;

  /** With a key that no other configuration has, so that a reload opens everything again. */
  const configure = (blocks: object): Promise<void> =>
    installation().configure({
      server,
      auth: {
        type: 'basic',
        keys: [
          { application: 'dev', secret: 'development-only' },
          { application: 'other', secret: `another secret ${secrets++}` },
        ],
      },
      ...blocks,
    });
  const signal = async ({ run }: Serving): Promise<void> => {
    const reloads = (): number => run.stdout.split('the configuration was reloaded').length;
    const before = reloads();
    run.child.kill('SIGHUP');
    await run.until(() => reloads() > before);
  };
  const reload = async (serving: Serving, blocks: object): Promise<void> => {
    await configure(blocks);
    await signal(serving);
  };
  const Authorization = `Basic ${Buffer.from('dev:development-only').toString('base64')}`;

  it('sends no mail twice whose server answers late', async () => {
    const certificate = await certificateFor('localhost');
    let began = 0;
    const mails = await startMailServer(certificate, {
      disabledCommands: ['STARTTLS', 'AUTH'],
      authOptional: true,
      onData: (stream, _session, done) => {
        began++;
        stream.resume().once('end', () => setTimeout(done, 9_000));
      },
    });
    try {
      const email = {
        type: 'smtp',
        host: '127.0.0.1',
        port: mails.port,
        requireTls: false,
        fromAddress: 'accounts@example.com',
        queue: true,
      };
      await configure({ email });
      const serving = await installation().serve();
      expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
      const sent = await fetch(`${serving.url}/verify?email=jane@example.com`, {
        method: 'POST',
        headers: { Authorization, password: 'correct horse' },
      });
      expect(sent.status, await sent.text()).to.be.lessThan(300);
      await eventually(async () => expect(began).to.equal(1), 10_000);
      await reload(serving, { email });
      await eventually(async () => {
        const metrics = await (await fetch(`${serving.adminUrl}/metrics`)).text();
        expect(metrics).to.match(/^latchkey_mails_sent_total 1$/m);
      }, 20_000);
      expect(began).to.equal(1);
      expect(await serving.stop()).to.equal(0);
    } finally {
      await mails.close();
      await certificate.remove();
    }
  });

  for (const workers of [1, 2])
    it(`answers and audits a request that spans several of them, longer than the operation timeout, with ${workers} process(es)`, async () => {
      const blocks = { audit: { file: 'audit.jsonl' }, operationTimeout: '500ms', server: { ...server, workers } };
      await configure(blocks);
      const serving = await installation().serve();
      const body = JSON.stringify({ email: { address: 'jane@example.com' }, password: 'correct horse' });
      const headers = { Authorization, 'Content-Type': 'application/json', 'Content-Length': body.length };
      const upload = request(`${serving.url}/users`, { method: 'POST', headers });
      upload.write(body.slice(0, 10));
      // On other connections, so that each process has read from its own and the service has the first one, too.
      for (let n = 0; n < 4; n++) expect(await readUser(serving.url, 'joe@example.com')).to.equal(404);
      for (let n = 0; n < 3; n++) await reload(serving, blocks);
      // Its key is no longer valid for new requests.
      await reload(serving, { ...blocks, auth: { keys: [{ application: 'dev', secret: 'another secret' }] } });
      expect(await readUser(serving.url, 'joe@example.com')).to.equal(401);
      // Longer than the operation timeout, which is not the time that a client has.
      await sleep(3_000);
      upload.end(body.slice(10));
      const [response] = await once(upload, 'response');
      response.resume();
      expect(response.statusCode).to.equal(201);
      await eventually(async () => {
        const text = await readFile(join(installation().folder, 'audit.jsonl'), 'utf8');
        const lines = text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
        expect(lines.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 401, 201]);
      }, 10_000);
      expect(await serving.stop()).to.equal(0);
    });

  it('keeps the signing keys that were fetched', async () => {
    let fetched = 0;
    const issuer = createServer((_request, response) => {
      fetched++;
      response.setHeader('Content-Type', 'application/json').end('{"keys":[]}');
    }).listen(0, '127.0.0.1');
    await once(issuer, 'listening');
    try {
      const jwksUrl = `http://127.0.0.1:${Object(issuer.address()).port}/keys`;
      const blocks = (title: string) => ({
        auth: { type: 'oauth', jwksUrl, issuer: 'the issuer' },
        openApi: { title },
      });
      await configure(blocks('first'));
      const serving = await installation().serve();
      await eventually(async () => expect(fetched).to.equal(1), 10_000);
      await reload(serving, blocks('second'));
      await reload(serving, blocks('third'));
      const health = await (await fetch(`${serving.adminUrl}/healthcheck`)).text();
      expect(health).to.match(/signing keys of the issuer are known/);
      expect(fetched).to.equal(1);
      expect(await serving.stop()).to.equal(0);
    } finally {
      issuer.close();
    }
  });

  it('keeps the block of an address that guesses keys of administrators, and the tokens of open forms', async () => {
    const admin = { keys: [{ application: 'ops', secret: 'the secret of an administrator' }] };
    await configure({ admin });
    const serving = await installation().serve();
    expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
    const ask = async (secret: string, path = '/admin/users'): Promise<{ status: number; text: string }> => {
      const authorization = `Basic ${Buffer.from(`ops:${secret}`).toString('base64')}`;
      const response = await fetch(serving.adminUrl + path, { headers: { authorization, accept: 'text/html' } });
      return { status: response.status, text: await response.text() };
    };
    const tokenOf = async (): Promise<string | undefined> => {
      const { text } = await ask('the secret of an administrator', '/admin/delete?address=jane%40example.com');
      return /name="token" value="([^"]+)"/.exec(text)?.[1];
    };
    const token = await tokenOf();
    expect(token).to.be.a('string');
    await reload(serving, { admin });
    expect(await tokenOf()).to.equal(token);
    for (let guess = 0; guess < 10; guess++) await ask(`guess ${guess}`);
    expect((await ask('the secret of an administrator')).status).to.equal(429);
    await reload(serving, { admin });
    expect((await ask('the secret of an administrator')).status).to.equal(429);
    expect(await serving.stop()).to.equal(0);
  });
});
