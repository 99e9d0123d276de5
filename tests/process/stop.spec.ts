import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { silentServer } from '../support/tcp-servers.ts';
import {
  clientHeaders,
  createUser,
  eachWithInstallation,
  type Installation,
  program,
  type Serving,
} from './installation.ts';

/** Sends a request whose headers the service has accepted, and which it can answer only after the whole body. */
const acceptedRequest = async (url: string, agent: Agent, method = 'POST') => {
  const body = '{"email":{"address":"late@example.com"},"password":"correct horse"}';
  const headers = { ...clientHeaders, password: 'wrong', 'Content-Length': body.length, Expect: '100-continue' };
  const sent = request(`${url}/users`, { method, agent, headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.flushHeaders();
  await once(sent, 'continue');
  return {
    finish: async (): Promise<IncomingMessage> => {
      sent.end(body);
      const [response] = await answered;
      await response.toArray();
      return response;
    },
  };
};

const isStopping = ({ run }: Serving): Promise<void> => run.until(() => run.stdout.includes('"stopping"'));

const refusal = async (url: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const [outcome] = await Promise.race([once(socket, 'connect').then(() => ['accepted']), failure(socket)]);
  socket.destroy();
  return outcome;
};

const failure = (socket: NodeJS.EventEmitter): Promise<[string]> =>
  new Promise((resolve) => socket.once('error', (error: NodeJS.ErrnoException) => resolve([error.code ?? ''])));

// Verifying this hash takes most of a second.
const slowHash = '$2b$13$eUCtFvA0GfMLmb.DUEtaaOu7e8A4j9Zl9YQDEI3YRMSLkQ6oDLWOG';

/** A service with every kind of connection that could keep it from stopping, and one unfinished request. */
const busy = async (installation: Installation) => {
  const serving = await installation.serve();
  const agent = new Agent({ keepAlive: true });
  await once(request(serving.url, { agent }).end(), 'response').then(([response]) => response.resume());
  const silent = connect(Number(new URL(serving.url).port), '127.0.0.1');
  await once(silent, 'connect');
  silent.on('error', () => {});
  return { serving, accepted: await acceptedRequest(serving.url, agent), release: () => agent.destroy() };
};

describe('stopping latchkey serve', () => {
  const installation = eachWithInstallation();

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`finishes accepted requests and ends with 0 on ${signal}`, async () => {
      const { serving, accepted, release } = await busy(installation());
      const ended = serving.stop(signal);
      await isStopping(serving);
      expect(await refusal(serving.url)).to.equal('ECONNREFUSED');
      expect((await fetch(`${serving.adminUrl}/readyz`)).status).to.equal(503);
      expect((await fetch(`${serving.adminUrl}/livez`)).status).to.equal(200);
      const response = await accepted.finish();
      expect(response.statusCode).to.equal(201);
      // The client keeps its side open, so the service has to end the connection.
      expect(response.headers.connection).to.equal('close');
      expect(await ended).to.equal(0);
      release();
    });
  }

  it('finishes a slow request', async () => {
    await installation().configure({ passwordHash: { algorithm: 'bcrypt' } });
    const serving = await installation().serve();
    await createUser(serving.url, 'late@example.com', slowHash);
    const agent = new Agent({ keepAlive: true });
    const accepted = await acceptedRequest(serving.url, agent, 'PUT');
    const ended = serving.stop();
    await isStopping(serving);
    expect((await accepted.finish()).statusCode).to.equal(401);
    expect(await ended).to.equal(0);
    agent.destroy();
  });

  it('ignores further signals', async () => {
    const { serving, accepted, release } = await busy(installation());
    const ended = serving.stop('SIGINT');
    await isStopping(serving);
    serving.run.child.kill('SIGINT');
    serving.run.child.kill('SIGTERM');
    expect((await fetch(`${serving.adminUrl}/livez`)).status).to.equal(200);
    expect((await accepted.finish()).statusCode).to.equal(201);
    expect(await ended).to.equal(0);
    expect(serving.run.log.filter(({ msg }) => msg === 'stopping')).to.have.length(1);
    release();
  });

  it('ends with 0 while the service is still starting', async () => {
    const secrets = await silentServer();
    const address = `http://127.0.0.1:${secrets.port}`;
    await installation().configure({
      secrets: { provider: 'secretsmanager', endpoint: address, region: 'eu-central-1' },
      openApi: { title: '${TITLE}' },
    });
    const credentials = { AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any' };
    const run = installation().node([program, 'serve', 'latchkey.yaml'], credentials);
    await eventually(async () => expect(secrets.connections).to.not.be.empty, 5_000);
    run.child.kill('SIGTERM');
    expect(await run.ended).to.equal(0);
    await secrets.close();
  });

  it('ends with 0 after a signal at the end of the start', async () => {
    // When the handler of the start is removed: then the signal must not depend on that one.
    const signalAtOnce = `process.on('removeListener', (event) => {
      if (event === 'SIGTERM') process.kill(process.pid, 'SIGTERM');
    });`;
    const imported = `data:text/javascript,${encodeURIComponent(signalAtOnce)}`;
    const run = installation().node(['--import', imported, program, 'serve', 'latchkey.yaml']);
    expect(await run.ended).to.equal(0);
    expect(run.log.map(({ msg }) => msg)).to.include('stopped');
  });

  it('does not follow from SIGHUP while the service is starting', async () => {
    const secrets = await silentServer();
    const address = `http://127.0.0.1:${secrets.port}`;
    await installation().configure({
      secrets: { provider: 'secretsmanager', endpoint: address, region: 'eu-central-1' },
      openApi: { title: '${TITLE}' },
    });
    const credentials = { AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any' };
    const run = installation().node([program, 'serve', 'latchkey.yaml'], credentials);
    await eventually(async () => expect(secrets.connections).to.not.be.empty, 5_000);
    run.child.kill('SIGHUP');
    run.child.kill('SIGTERM');
    // Without a handler, the first of the two would end it, and be its status.
    expect(await run.ended).to.equal(0);
    await secrets.close();
  });

  for (const workers of [1, 2])
    it(`does not follow from SIGHUP, with ${workers} process(es)`, async () => {
      await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers } });
      const serving = await installation().serve();
      for (let n = 0; n < 3; n++) {
        serving.run.child.kill('SIGHUP');
        expect(await createUser(serving.url, `user-${n}@example.com`)).to.equal(201);
      }
      expect(await serving.stop()).to.equal(0);
    });

  it('waits at most the operation timeout for a request that never ends', async () => {
    await installation().configure({ operationTimeout: '300ms' });
    const { serving, release } = await busy(installation());
    expect(await serving.stop()).to.equal(0);
    release();
  });
});
