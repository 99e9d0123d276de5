import { execFileSync } from 'node:child_process';
import { randomUUID, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../benchmarks/free-port.ts';
import { childrenOf, isStopped } from '../support/child-processes.ts';
import { eventually } from '../support/eventually.ts';
import { type Certificate, certificateFor } from '../support/mail-server.ts';
import {
  createUser,
  eachWithInstallation,
  firstReplacementStopped,
  program,
  readUser,
  type Serving,
} from './installation.ts';

/** More for the full figure: `RELOADS=100 RATE=1000 npm run test:one tests/process/reload.spec.ts`. */
const { RELOADS = '40', RATE = '100' } = process.env;

const reloaded = 'the configuration was reloaded';
const failed = 'the configuration cannot be reloaded; the former one is kept';
const unchanged = 'the configuration has not changed';
const fixed = 'a change of these options needs a restart, and was left out of the reload';

describe('latchkey serve reloads its configuration', function () {
  this.timeout(40_000);
  const installation = eachWithInstallation();
  const certificates: Certificate[] = [];
  before(async () => {
    for (let n = 0; n < 2; n++) certificates.push(await certificateFor('localhost'));
  });
  after(() => Promise.all(certificates.map((certificate) => certificate.remove())));
  // Both are for one name, of which OpenSSL trusts only one; the test compares the fingerprint.
  const trust = { rejectUnauthorized: false };

  const local = { host: '127.0.0.1', port: 0, adminPort: 0 };
  const files = { certFile: 'cert.pem', keyFile: 'key.pem' };
  const auth = (secret: string) => ({
    type: 'basic',
    keys: [
      { application: 'dev', secret: 'development-only' },
      { application: 'rotated', secret },
    ],
  });

  /** Writes a file as deployments do, so that it is never read half-written. */
  const replaceFile = async (name: string, content: string | Uint8Array): Promise<void> => {
    await installation().write(`${name}.new`, content);
    await rename(join(installation().folder, `${name}.new`), join(installation().folder, name));
  };
  const replaceCertificate = async (index: number): Promise<void> => {
    await replaceFile('cert.pem', certificates[index]?.cert ?? '');
    await replaceFile('key.pem', certificates[index]?.key ?? '');
  };

  const count = ({ run }: Serving, message: string): number => run.stdout.split(`"msg":"${message}"`).length - 1;
  const logged = (serving: Serving, message: string, times: number): Promise<void> =>
    serving.run.until(() => count(serving, message) >= times);
  const reload = async (serving: Serving, message = reloaded): Promise<void> => {
    const times = count(serving, message);
    serving.run.child.kill('SIGHUP');
    await logged(serving, message, times + 1);
  };
  const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

  /** A report of the health is up to four seconds old. */
  const shows = ({ adminUrl }: Serving, line: RegExp): Promise<void> =>
    eventually(async () => {
      expect(await textOf(`${adminUrl}/healthcheck`)).to.match(line);
    }, 10_000);

  const authorization = (application: string, secret: string): string =>
    `Basic ${Buffer.from(`${application}:${secret}`).toString('base64')}`;

  /** The status of a read over TLS, and the certificate. */
  const get = (url: string, credentials: string, agent: Agent | false = false) =>
    new Promise<{ status: number; fingerprint: string }>((resolve, reject) => {
      const headers = { Authorization: credentials, password: 'any' };
      const target = { host: '127.0.0.1', servername: 'localhost', port: new URL(url).port, agent, ...trust };
      request({ ...target, path: '/users?email=jane%40example.com', headers })
        .once('error', reject)
        .once('response', (response) => {
          const { fingerprint256 } = Object(response.socket).getPeerCertificate();
          response
            .resume()
            .once('end', () => resolve({ status: response.statusCode ?? 0, fingerprint: fingerprint256 }));
        })
        .end();
    });

  /** Sends requests at a rate, a tenth over new connections, until `stop`, which resolves with those without a 404. */
  const load = (url: string) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 16, ...trust });
    const credentials = authorization('dev', 'development-only');
    const results: Promise<unknown>[] = [];
    const startedMs = performance.now();
    const timer = setInterval(() => {
      // By the clock, because ticks come late while the machine is busy.
      while (results.length < (Number(RATE) * (performance.now() - startedMs)) / 1000)
        results.push(
          get(url, credentials, results.length % 10 === 0 ? false : agent).then(
            ({ status }) => status,
            (error: Error) => error.message,
          ),
        );
    }, 20);
    return async () => {
      clearInterval(timer);
      const perSecond = Math.round((results.length * 1000) / (performance.now() - startedMs));
      const outcomes = await Promise.all(results);
      agent.destroy();
      return { sent: outcomes.length, perSecond, failures: outcomes.filter((outcome) => outcome !== 404) };
    };
  };

  it(`${RELOADS} times under load, with new secrets and certificates, in two workers, without a failed request`, async function () {
    this.timeout(300_000);
    await replaceCertificate(0);
    const server = { ...local, workers: 2, tls: files };
    await installation().configure({ server, auth: auth('secret number 0') });
    const serving = await installation().serve();
    const stop = load(serving.url);
    const refusedMs: number[] = [];
    for (let n = 1; n <= Number(RELOADS); n++) {
      await replaceCertificate(n % 2);
      await installation().configure({ server, auth: auth(`secret number ${n}`) });
      const startedMs = performance.now();
      await reload(serving);
      refusedMs.push(performance.now() - startedMs);
      // Connections are given to the workers in turn.
      for (let worker = 0; worker < 2; worker++) {
        const [old, next] = await Promise.all([
          get(serving.url, authorization('rotated', `secret number ${n - 1}`)),
          get(serving.url, authorization('rotated', `secret number ${n}`)),
        ]);
        expect([n, old.status, next.status]).to.deep.equal([n, 401, 404]);
        expect(next.fingerprint).to.equal(new X509Certificate(certificates[n % 2]?.cert ?? '').fingerprint256);
      }
    }
    const { sent, perSecond, failures } = await stop();
    const slowest = Math.max(...refusedMs);
    if (process.env.RELOADS !== undefined)
      console.info({ sent, perSecond, failures: failures.length, slowestReloadMs: Math.round(slowest) });
    expect(failures).to.deep.equal([]);
    expect(sent).to.be.greaterThan(Number(RATE));
    expect(slowest, 'an old secret is refused within a second').to.be.lessThan(1_000);
    expect(await textOf(`${serving.adminUrl}/metrics`)).to.include(
      `latchkey_configuration_reloads_total{outcome="success"} ${RELOADS}`,
    );
    expect(await serving.stop()).to.equal(0);
  });

  for (const workers of [1, 2]) {
    const server = { ...local, workers };
    const name = workers === 1 ? 'one process' : 'every worker';
    const configure = (secret: string, blocks: object = {}) =>
      installation().configure({ server, auth: auth(secret), ...blocks });
    const statusOf = async (serving: Serving, secret: string): Promise<readonly number[]> => {
      const headers = { Authorization: authorization('rotated', secret), password: 'correct horse' };
      const responses = Array.from({ length: 2 * workers }, async () => {
        const response = await fetch(`${serving.url}/users?email=jane@example.com`, {
          headers: { ...headers, connection: 'close' },
        });
        await response.text();
        return response.status;
      });
      return [...new Set(await Promise.all(responses))];
    };

    it(`with the domains of a file, of which the last good ones stay, in ${name}`, async () => {
      await replaceFile('domains', 'example.org\n');
      await configure('a secret', { signUp: { blockedDomains: 'domains' } });
      const serving = await installation().serve();
      const statuses = async () => [
        await createUser(serving.url, `${randomUUID()}@example.org`),
        await createUser(serving.url, `${randomUUID()}@mail.example.net`),
      ];
      expect(await statuses()).to.deep.equal([400, 201]);
      await replaceFile('domains', 'example.net # since today\n');
      await reload(serving);
      expect(await statuses()).to.deep.equal([201, 400]);
      await replaceFile('domains', 'not a domain\n');
      await reload(serving, failed);
      const { reason } = serving.run.log.find(({ msg }) => msg === failed) ?? {};
      expect(reason).to.contain('signUp.blockedDomains: line 1 is not a domain');
      expect(await statuses()).to.deep.equal([201, 400]);
      await rm(join(installation().folder, 'domains'));
      await reload(serving, failed);
      expect(await statuses()).to.deep.equal([201, 400]);
      expect(await serving.stop()).to.equal(0);
    });

    it(`not at all if the file is invalid, which health, log and metrics show, in ${name}`, async () => {
      await configure('the first secret');
      const serving = await installation().serve();
      expect(await textOf(`${serving.adminUrl}/healthcheck`)).to.not.include('configuration');
      expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
      await configure('another secret', { passwordHash: { algorithm: 'unknown' } });
      await reload(serving, failed);
      expect(await statusOf(serving, 'the first secret')).to.deep.equal([200]);
      expect(await statusOf(serving, 'another secret')).to.deep.equal([401]);
      const { reason } = serving.run.log.find(({ msg }) => msg === failed) ?? {};
      expect(reason).to.match(/latchkey\.yaml can't be used: one problem\n {2}line \d+: passwordHash\.algorithm: /);
      await shows(serving, /"configuration": .*cannot be reloaded since 20/);
      expect(await textOf(`${serving.adminUrl}/metrics`))
        .to.include('latchkey_configuration_reloads_total{outcome="failure"} 1')
        .and.include('latchkey_configuration_last_reload_successful 0');
      // Valid by itself, but a process cannot open it.
      await installation().write('known.txt', '\n');
      await configure('another secret', {
        passwordHash: { algorithm: 'sha256', serverSideHash: true },
        passwordRules: { blocklist: 'known.txt' },
      });
      await reload(serving, failed);
      expect(serving.run.stdout).to.include('passwordRules.blocklist: the file has no line with a password');
      expect(await statusOf(serving, 'another secret')).to.deep.equal([401]);
      await configure('another secret');
      await reload(serving);
      expect(await statusOf(serving, 'another secret')).to.deep.equal([200]);
      expect(await textOf(`${serving.adminUrl}/metrics`)).to.include('latchkey_configuration_last_reload_successful 1');
      await shows(serving, /"configuration": .*reloaded at 20/);
      expect(await serving.stop()).to.equal(0);
    });

    it(`except what needs a restart, which it names, in ${name}`, async () => {
      await configure('the first secret');
      const serving = await installation().serve();
      expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
      await replaceCertificate(0);
      await configure('another secret', {
        server: { ...server, host: '127.0.0.2', workers: 3 - workers, tls: files },
        database: { type: 'sqlite', path: 'others.db' },
        users: { ids: true },
      });
      await reload(serving);
      expect(serving.run.log.find(({ msg }) => msg === fixed)).to.deep.include({
        options: ['database', 'server.host', 'server.workers', 'users', 'server.tls'],
      });
      expect(await statusOf(serving, 'another secret')).to.deep.equal([200]);
      expect(await statusOf(serving, 'the first secret')).to.deep.equal([401]);
      // What needs the options that were left out is refused, after they were named.
      const quiet = { url: 'https://app.example.com/sign-in' };
      await configure('another secret', {
        email: { type: 'outbox', directory: 'mails', fromAddress: 'no-reply@example.com', queue: true },
        server: { ...server, publicUrl: 'https://users.example.com' },
        privacy: { hideUnknownUsers: true },
        signUp: { quiet },
      });
      await reload(serving, failed);
      expect(serving.run.log.findLast(({ msg }) => msg === fixed)?.options).to.include('privacy.hideUnknownUsers');
      expect(serving.run.stdout).to.include('signUp.quiet: needs privacy.hideUnknownUsers: true');
      expect(await serving.stop()).to.equal(0);
    });

    it(`not at all if nothing has changed, also since the last reload, in ${name}`, async () => {
      await configure('the first secret');
      const serving = await installation().serve();
      await reload(serving, unchanged);
      await reload(serving, unchanged);
      expect(count(serving, reloaded)).to.equal(0);
      await configure('another secret');
      await reload(serving);
      await reload(serving, unchanged);
      await configure('the first secret');
      await reload(serving);
      expect(await statusOf(serving, 'the first secret')).to.deep.equal([404]);
      expect([count(serving, reloaded), count(serving, unchanged)]).to.deep.equal([2, 3]);
      expect(await serving.stop()).to.equal(0);
    });

    it(`not at all for a log rotation, which only opens the audit file again, in ${name}`, async () => {
      const list = 'a known password\n';
      await replaceFile('known.txt', list);
      const blocks = {
        audit: { file: 'audit.jsonl' },
        passwordHash: { algorithm: 'sha256', serverSideHash: true },
        passwordRules: { blocklist: 'known.txt' },
      };
      const path = (file: string): string => join(installation().folder, file);
      const read = 'the list of known passwords was read';
      await configure('the secret', blocks);
      const serving = await installation().serve();
      expect(await statusOf(serving, 'the secret')).to.deep.equal([404]);
      await rename(path('audit.jsonl'), path('audit.jsonl.1'));
      // Other files with the same content.
      await replaceFile('known.txt', list);
      await configure('the secret', blocks);
      await reload(serving, unchanged);
      await eventually(async () => {
        expect(await statusOf(serving, 'the secret')).to.deep.equal([404]);
        expect(await readFile(path('audit.jsonl'), 'utf8')).to.include('"status":404');
      }, 10_000);
      const before = (await readFile(path('audit.jsonl.1'), 'utf8')).length;
      expect(await statusOf(serving, 'the secret')).to.deep.equal([404]);
      expect((await readFile(path('audit.jsonl.1'), 'utf8')).length).to.equal(before);
      expect([count(serving, reloaded), count(serving, read)]).to.deep.equal([0, workers]);
      await replaceFile('known.txt', `${list}another\n`);
      await reload(serving);
      await reload(serving, unchanged);
      expect([count(serving, reloaded), count(serving, read)]).to.deep.equal([1, 2 * workers]);
      expect(await serving.stop()).to.equal(0);
    });

    it(`with server.watch without a signal, also for a file that it names, in ${name}`, async () => {
      await installation().write('mail.txt', 'First: CODEGEN-URL');
      const email = { type: 'outbox', directory: 'outbox', messageOptions: { bodyTextFilePath: 'mail.txt' } };
      const watched = { server: { ...server, watch: true, publicUrl: 'http://localhost' }, email };
      await configure('the first secret', watched);
      const serving = await installation().serve();
      expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
      await configure('another secret', watched);
      await logged(serving, reloaded, 1);
      expect(await statusOf(serving, 'another secret')).to.deep.equal([200]);
      await replaceFile('mail.txt', Uint8Array.of(0xff));
      await logged(serving, failed, 1);
      await replaceFile('mail.txt', 'Second: CODEGEN-URL');
      await logged(serving, reloaded, 2);
      expect([count(serving, reloaded), count(serving, failed)]).to.deep.equal([2, 1]);
      expect(await serving.stop()).to.equal(0);
    });

    it(`and goes on counting the uses of secrets, wherever they are in the file, in ${name}`, async () => {
      const [first, second, third] = ['the first secret', 'the second secret', 'the third secret'];
      const keys = (application: string, ...secrets: readonly (string | undefined)[]) => ({
        keys: [{ application, secrets: secrets.map((secret) => ({ secret })) }],
      });
      const configureTwo = (...secrets: readonly (string | undefined)[]) =>
        installation().configure({ server, auth: keys('rotated', ...secrets), admin: keys('ops', ...secrets) });
      await configureTwo(first, second);
      const serving = await installation().serve();
      const asAdministrator = async (secret = ''): Promise<void> => {
        const headers = { Authorization: authorization('ops', secret) };
        expect((await fetch(`${serving.adminUrl}/admin/users`, { headers })).status).to.equal(200);
      };
      const lines = async (): Promise<readonly string[]> =>
        JSON.parse(await textOf(`${serving.adminUrl}/healthcheck`)).keys.message.split('; ');
      expect(await statusOf(serving, second ?? '')).to.deep.equal([404]);
      await asAdministrator(second);
      await configureTwo(second, third);
      await reload(serving);
      await eventually(async () => {
        const [client, unused, administrator] = await lines();
        expect(client).to.match(/^auth\.keys\[0\]\.secrets\[0\] last used 20/);
        expect(unused).to.equal('auth.keys[0].secrets[1] not used since the start');
        expect(administrator).to.match(/^admin\.keys\[0\]\.secrets\[0\] last used 20/);
      }, 10_000);
      await asAdministrator(third);
      expect(await textOf(`${serving.adminUrl}/metrics`))
        .to.include(`latchkey_secret_requests_total{option="auth.keys[0].secrets[0]"} ${2 * workers}`)
        .and.include('latchkey_secret_requests_total{option="auth.keys[0].secrets[1]"} 0')
        .and.include('latchkey_secret_requests_total{option="admin.keys[0].secrets[1]"} 1');
      expect(await serving.stop()).to.equal(0);
    });

    it(`also for administrators, in ${name}`, async () => {
      const admin = (secret: string) => ({ admin: { keys: [{ application: 'ops', secret }] } });
      await configure('the secret', admin('the secret of an administrator'));
      const serving = await installation().serve();
      const statusFor = async (secret: string): Promise<number> => {
        const headers = { Authorization: authorization('ops', secret), Accept: 'application/json' };
        const response = await fetch(`${serving.adminUrl}/admin/users`, { headers });
        await response.text();
        return response.status;
      };
      expect(await statusFor('the secret of an administrator')).to.equal(200);
      await configure('the secret', admin('another secret of them'));
      await reload(serving);
      expect(await statusFor('the secret of an administrator')).to.equal(401);
      expect(await statusFor('another secret of them')).to.equal(200);
      expect(await serving.stop()).to.equal(0);
    });

    it(`and keeps its counters, in ${name}`, async () => {
      await configure('the secret');
      const serving = await installation().serve();
      expect(await readUser(serving.url, 'jane@example.com')).to.equal(404);
      const requests = async (): Promise<number> => {
        const text = await textOf(`${serving.adminUrl}/metrics`);
        const lines = text.matchAll(/^latchkey_http_request_duration_seconds_count\{.*route="\/users".*\} (\d+)$/gm);
        return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
      };
      const before = await requests();
      await configure('another secret');
      await reload(serving);
      expect(await requests()).to.equal(before);
      expect(await readUser(serving.url, 'jane@example.com')).to.equal(404);
      expect(await requests()).to.equal(before + 1);
      expect(await serving.stop()).to.equal(0);
    });
  }

  it('not at all where the configuration is a pipe, which would never end', async () => {
    const { folder } = installation();
    await rename(join(folder, 'latchkey.yaml'), join(folder, 'another.yaml'));
    execFileSync('mkfifo', ['latchkey.yaml'], { cwd: folder });
    const [serving] = await Promise.all([
      installation().serve(),
      writeFile(join(folder, 'latchkey.yaml'), await readFile(join(folder, 'another.yaml'))),
    ]);
    await reload(serving, failed);
    expect(serving.run.stdout).to.include('the configuration came from a pipe, which cannot be read again');
    expect(await readUser(serving.url, 'jane@example.com')).to.equal(404);
    expect(await serving.stop()).to.equal(0);
  });

  for (const [kind, target, expected] of [
    ['leads to a device, which may have no end', '/dev/null', 'expected a file; this is a device or a socket'],
    ['leads to itself', 'latchkey.yaml', 'the symbolic links at this path lead back to themselves'],
  ] as const)
    it(`not at all where the configuration is a symbolic link that ${kind}`, async () => {
      const serving = await installation().serve();
      const path = join(installation().folder, 'latchkey.yaml');
      await rm(path);
      await symlink(target, path);
      await reload(serving, failed);
      const { reason } = serving.run.log.find(({ msg }) => msg === failed) ?? {};
      expect(reason).to.contain(expected);
      expect(await readUser(serving.url, 'jane@example.com')).to.equal(404);
      expect(await serving.stop()).to.equal(0);
    });

  it('and delivers the events of later requests', async () => {
    let received = 0;
    const receiver = createServer((request, response) => {
      received++;
      request.resume();
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${Object(receiver.address()).port}/`;
    const events = { webhooks: [{ url, secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }] };
    try {
      await installation().configure({ server: local, auth: auth('the first secret'), events });
      const serving = await installation().serve();
      await installation().configure({ server: local, auth: auth('another secret'), events });
      await reload(serving);
      expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
      await eventually(async () => {
        expect(received).to.equal(1);
      }, 10_000);
      expect(await serving.stop()).to.equal(0);
    } finally {
      receiver.close();
    }
  });

  it('also in workers that start later, although the file is invalid by then', async () => {
    const server = { ...local, port: await freePort(), workers: 2 };
    await installation().configure({ server, auth: auth('the first secret') });
    const serving = await installation().serve();
    await installation().configure({ server, auth: auth('another secret') });
    await reload(serving);
    await installation().write('latchkey.yaml', 'database: [');
    await reload(serving, failed);
    const workers = childrenOf(serving.run.child.pid ?? 0);
    expect(workers).to.have.lengthOf(2);
    for (const worker of workers) process.kill(worker, 'SIGKILL');
    await eventually(async () => {
      const headers = { Authorization: authorization('rotated', 'another secret'), password: 'any' };
      const response = await fetch(`${serving.url}/users?email=jane@example.com`, {
        headers,
        signal: AbortSignal.timeout(2_000),
      });
      await response.text();
      expect(response.status).to.equal(404);
    }, 20_000);
    expect(serving.run.stdout).to.not.include('could not be replaced');
    expect(await serving.stop()).to.equal(0);
  });

  describe('in two workers', () => {
    const server = { ...local, workers: 2 };
    const configure = (secret: string) =>
      installation().configure({
        server,
        auth: auth(secret),
        admin: { keys: [{ application: 'ops', secret: `${secret} of an administrator` }] },
      });
    const workersOf = ({ run }: Serving): readonly number[] => childrenOf(run.child.pid ?? 0);
    /** The status from a worker that is not frozen: connections are given to the workers in turn. */
    const statusOf = ({ url }: Serving, secret: string): Promise<number> =>
      eventually(() => {
        const request = async (): Promise<number> => {
          const headers = { Authorization: authorization('rotated', secret), password: 'any', connection: 'close' };
          const signal = AbortSignal.timeout(1_000);
          const response = await fetch(`${url}/users?email=jane@example.com`, { headers, signal });
          await response.text();
          return response.status;
        };
        return Promise.any([request(), request()]);
      }, 20_000);
    const adminStatusOf = async ({ adminUrl }: Serving, secret: string): Promise<number> => {
      const headers = {
        Authorization: authorization('ops', `${secret} of an administrator`),
        Accept: 'application/json',
      };
      return (await fetch(`${adminUrl}/admin/users`, { headers })).status;
    };
    const killed = '"msg":"a worker does not use the present configuration and is killed"';
    /** Resolves with the worker that takes the place of one that ended. */
    const replacementBeside = (serving: Serving, survivor: number): Promise<number> =>
      eventually(async () => {
        const found = workersOf(serving).find((worker) => worker !== survivor);
        if (found === undefined) throw new Error('there is no other worker yet');
        return found;
      }, 10_000);
    /** Expects that another worker serves, with `secret` and not with `former`. */
    const servesBeside = async (serving: Serving, survivor: number, former: string, secret: string): Promise<void> => {
      process.kill(survivor, 'SIGSTOP');
      expect(await statusOf(serving, secret)).to.equal(404);
      expect(await statusOf(serving, former)).to.equal(401);
      process.kill(survivor, 'SIGCONT');
    };

    it('also if one of them is frozen, which is killed and replaced', async () => {
      await configure('the first secret');
      const serving = await installation().serve();
      const [frozen = 0, survivor = 0] = workersOf(serving);
      process.kill(frozen, 'SIGSTOP');
      await configure('another secret');
      const startedMs = performance.now();
      const reloading = reload(serving);
      await eventually(async () => expect(await adminStatusOf(serving, 'the first secret')).to.equal(401), 5_000);
      expect(await statusOf(serving, 'the first secret')).to.equal(401);
      expect(performance.now() - startedMs, 'the other one does not wait').to.be.lessThan(2_000);
      await reloading;
      expect(serving.run.stdout).to.include(killed);
      expect(await statusOf(serving, 'the first secret')).to.equal(401);
      await replacementBeside(serving, survivor);
      await servesBeside(serving, survivor, 'the first secret', 'another secret');
      await configure('the last secret');
      await reload(serving);
      expect(await statusOf(serving, 'another secret')).to.equal(401);
      expect(await serving.stop()).to.equal(0);
    });

    it('also if one of them is stalled for a while, which is not killed', async () => {
      await configure('the first secret');
      const serving = await installation().serve();
      const [stalled = 0, other = 0] = workersOf(serving);
      process.kill(stalled, 'SIGSTOP');
      await configure('another secret');
      const reloading = reload(serving);
      await eventually(async () => expect(await adminStatusOf(serving, 'the first secret')).to.equal(401), 5_000);
      process.kill(stalled, 'SIGCONT');
      await reloading;
      await servesBeside(serving, other, 'the first secret', 'another secret');
      expect(workersOf(serving)).to.have.members([stalled, other]);
      expect(serving.run.stdout).to.not.include(killed);
      expect(await serving.stop()).to.equal(0);
    });

    it('without waiting for one that is starting, which serves with the present configuration only', async () => {
      await configure('the first secret');
      const serving = await installation().serve({}, program, firstReplacementStopped);
      const [victim = 0, survivor = 0] = workersOf(serving);
      process.kill(victim, 'SIGKILL');
      await eventually(async () => expect(workersOf(serving)).to.deep.equal([survivor]), 5_000);
      const starting = await replacementBeside(serving, survivor);
      await eventually(async () => expect(isStopped(starting)).to.equal(true), 10_000);
      await configure('another secret');
      await reload(serving);
      expect(await adminStatusOf(serving, 'the first secret')).to.equal(401);
      expect(await adminStatusOf(serving, 'another secret')).to.equal(200);
      await eventually(async () => expect(workersOf(serving)).to.not.include(starting), 5_000);
      await replacementBeside(serving, survivor);
      await servesBeside(serving, survivor, 'the first secret', 'another secret');
      expect(serving.run.stdout).to.include(killed).and.not.include('could not be replaced');
      expect(await serving.stop()).to.equal(0);
    });

    it('without an alarm if the service stops meanwhile', async () => {
      await configure('the first secret');
      const serving = await installation().serve();
      for (const worker of workersOf(serving)) process.kill(worker, 'SIGSTOP');
      // It names what needs a restart just before it asks the workers.
      await installation().configure({ server: { ...server, host: '127.0.0.2' }, auth: auth('another secret') });
      await reload(serving, fixed);
      serving.run.child.kill('SIGTERM');
      await logged(serving, 'stopping', 1);
      for (const worker of workersOf(serving)) process.kill(worker, 'SIGKILL');
      expect(await serving.run.ended).to.equal(0);
      expect(count(serving, failed)).to.equal(0);
    });

    it('not at all if both are frozen, which the log says', async () => {
      await configure('the first secret');
      const serving = await installation().serve();
      const workers = workersOf(serving);
      for (const worker of workers) process.kill(worker, 'SIGSTOP');
      await configure('another secret');
      await reload(serving, failed);
      expect(serving.run.log.find(({ msg }) => msg === failed)).to.include({ reason: 'no worker answers' });
      expect(await adminStatusOf(serving, 'another secret')).to.equal(401);
      for (const worker of workers) process.kill(worker, 'SIGCONT');
      await reload(serving);
      expect(await statusOf(serving, 'the first secret')).to.equal(401);
      expect(await serving.stop()).to.equal(0);
    });
  });

  for (const workers of [1, 2])
    it(`without keeping memory, files or threads of former ones, in ${workers} process(es)`, async function () {
      this.timeout(120_000);
      await installation().write('known.txt', 'a known password\n');
      const configure = (secret: string) =>
        installation().configure({
          server: { ...local, workers },
          auth: auth(secret),
          audit: { file: 'audit.jsonl' },
          passwordHash: { algorithm: 'sha256', serverSideHash: true, cache: { ttl: '1m' } },
          passwordRules: { blocklist: 'known.txt', minScore: 1 },
          throttle: {},
        });
      await configure('secret number 0');
      const serving = await installation().serve();
      const main = serving.run.child.pid ?? 0;
      const pids = workers === 1 ? [main] : [main, ...childrenOf(main)];
      const reloadOften = async (from: number, times: number): Promise<void> => {
        for (let n = from; n < from + times; n++) {
          await configure(`secret number ${n}`);
          await reload(serving);
          expect(await createUser(serving.url, `user-${n}@example.com`)).to.equal(201);
        }
      };
      const countIn = (folder: string): number =>
        Math.max(...pids.map((pid) => readdirSync(`/proc/${pid}/${folder}`).length));
      const open = (): { files: number; threads: number } => ({ files: countIn('fd'), threads: countIn('task') });
      const heapBytes = async (): Promise<number> =>
        Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(await textOf(`${serving.adminUrl}/metrics`))?.[1]);
      await reloadOften(1, 5);
      const [first, firstBytes] = [open(), await heapBytes()];
      await reloadOften(6, 15);
      await eventually(async () => {
        const last = open();
        expect(last.files).to.be.at.most(first.files + 2);
        expect(last.threads).to.be.at.most(first.threads + 1);
      }, 10_000);
      const bytes = (await heapBytes()) - firstBytes;
      // A generation takes about a megabyte; garbage that is not collected yet may be in the heap.
      expect(bytes).to.be.lessThan(pids.length * 20 * 1024 * 1024);
      expect(await serving.stop()).to.equal(0);
    });
});
